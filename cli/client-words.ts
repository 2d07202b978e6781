import { shellWord } from "../client/shell-word.ts";
import { requirements } from "../openapi/requirements.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type { RepeatLineOf } from "../reports/model.ts";
import { notSelectedReason } from "../reports/not-run.ts";
import { listText } from "../reports/words.ts";
import { shownBy } from "../traffic/clients/judge-client.ts";
import { trafficRules } from "../traffic/clients/results-of-run.ts";
import { clientScenarios } from "../traffic/clients/scenarios/client-scenarios.ts";
import type { ClientSettings } from "./settings/client.ts";

/** Why nothing decided a requirement of clients, and what would. */
export function notShownReason(
  id: RequirementId,
  { only, tasks, receiver, jobs }: ClientSettings,
): string {
  if (!only.has(id)) return notSelectedReason;
  const isOfReceivers = requirements[id].profile === "receiver";
  if (isOfReceivers && receiver === undefined) {
    return "it is about receivers of webhooks: give --receiver URL";
  }
  if (isOfReceivers) {
    return jobs.length === 0
      ? "it needs a job that the receiver's application knows: name it by --job ID"
      : "none of its calls came to its end";
  }
  if (receiver !== undefined) return "it is about client programs: give one after --";
  const showing = clientScenarios.filter((scenario) => shownBy(scenario).includes(id));
  const lacking = new Set(showing.map(({ task }) => task).filter((task) => !tasks.includes(task)));
  if (showing.length > 0 && showing.every(({ task }) => lacking.has(task))) {
    return `it needs a program that can do ${listText([...lacking])}: name it in --tasks`;
  }
  const rule = trafficRules.find(({ requirement }) => requirement === id);
  return rule === undefined
    ? "none of its scenarios came to its end"
    : `the program sent nothing that would show it, such as ${rule.shownBy}`;
}

/** The line that judges one requirement again. */
export function repeatLineOf(settings: ClientSettings): RepeatLineOf {
  const { command, tasks, isPlain, dialect, judgesPolls, receiver, jobs } = settings;
  const options =
    receiver === undefined
      ? [
          `--tasks ${tasks.join(",")}`,
          ...(isPlain ? ["--plain"] : []),
          ...(judgesPolls ? [] : ["--driver polls"]),
          ...(dialect === "spec" ? [] : [`--dialect ${dialect}`]),
        ]
      : [`--receiver ${shellWord(receiver)}`, ...jobs.map((id) => `--job ${shellWord(id)}`)];
  const program = receiver === undefined ? ` -- ${command.map(shellWord).join(" ")}` : "";
  return (id) => `npx queueproof client ${[...options, `--only ${id}`].join(" ")}${program}`;
}
