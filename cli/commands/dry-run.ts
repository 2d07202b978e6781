import { planContract } from "../../contracts/plan.ts";
import type { Plan } from "../../contracts/plan.ts";
import { findTool } from "../../load/go-tools/find.ts";
import { k6Tool } from "../../load/k6/tool.ts";
import { neededOf } from "../../load/sent-load.ts";
import { isOfLoad } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { runnerSettings } from "../runner-settings.ts";
import { interruptedExitCode } from "../interruption.ts";
import type { Io } from "../io.ts";
import { choiceOf } from "../load-scenarios.ts";
import type { ListedScenario } from "../load-scenarios.ts";
import {
  loadPlan,
  loadPlanText,
  planSituation,
  selectedLoadChecks,
  tiersWanted,
  whyNotTried,
} from "../load-plan.ts";
import { planText } from "../progress/plan-text.ts";
import type { ContractCommandSettings, RunCommand } from "../settings/contract.ts";
import { withTarget } from "../target.ts";
import { uncoveredReason } from "../uncovered-reason.ts";
import type { OpenTarget } from "../target.ts";

/**
 * Prints what a run would do. It sends only what is needed to learn what the target offers.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED, as the run would.
 */
export async function dryRun(
  settings: ContractCommandSettings,
  io: Io,
  command: RunCommand = "contract",
): Promise<number> {
  if (command === "load") return loadDryRun(settings, io);
  return withTarget(settings, io, async (target, signal) => {
    const plan = await planOn(target, settings, command);
    const sent = sentBefore(settings, plan);
    const load = command === "run" ? { load: selectedLoadChecks(settings) } : {};
    const json = { schema: "queueproof-plan/1", ...plan, sent, ...load };
    io.write(
      settings.dryRun === "json" ? `${JSON.stringify(json, null, 2)}\n` : planText(plan, sent),
    );
    if (command === "run" && settings.dryRun === "text") await loadDryRun(settings, io);
    return signal.aborted ? interruptedExitCode : 0;
  });
}

/** Prints the load checks and what they would send; sends nothing. */
async function loadDryRun(settings: ContractCommandSettings, io: Io): Promise<number> {
  const load = selectedLoadChecks(settings);
  const plan = loadPlan(settings);
  if (settings.dryRun === "json") {
    const scenarios = scenariosIn(settings);
    const json = { schema: "queueproof-plan/1", plan, load, scenarios };
    io.write(`${JSON.stringify(json, null, 2)}\n`);
    return 0;
  }
  const on = planSituation(settings);
  const lines = load.map((check) => {
    const { name, covers, cost, needs } = check;
    const { requests, jobs } = neededOf(cost(on));
    const why = whyNotTried(check, settings);
    const sends = `${requests} requests, ${jobs} jobs; needs ${needs.join(", ")}`;
    return [`  ${covers.join(", ")}  ${name}`, why === undefined ? sends : `not run: ${why}`].join(
      "  ",
    );
  });
  const asked = scenariosIn(settings).map(({ name, question, needs }) =>
    [`  ${name}`, question, `needs ${needs.join(", ") || "nothing"}`].join("  "),
  );
  const engines = await engineLines(settings, io);
  io.write(`${[loadPlanText(plan), ...lines, ...engines, ...asked].join("\n")}\n`);
  return 0;
}

/** Which limits the other engines test, and where k6 would come from. */
async function engineLines(settings: ContractCommandSettings, io: Io): Promise<readonly string[]> {
  const { bursts, rates } = tiersWanted(settings);
  const needsK6 = choiceOf(settings).scenarios.length > 0 || rates.size > 0;
  return [
    ...(bursts.size === 0 ? [] : [`  ${[...bursts].join(", ")}  by a burst of autocannon`]),
    ...(rates.size === 0 ? [] : [`  ${[...rates].join(", ")}  at rates of k6`]),
    ...(needsK6 ? [`  k6  ${await whereK6Is(io)}`] : []),
  ];
}

async function whereK6Is({ environment }: Pick<Io, "environment">): Promise<string> {
  const found = await findTool(k6Tool, environment);
  if ("path" in found) return `${found.path}, version ${found.version}`;
  return `is built first where Go is installed, and not run elsewhere: ${found.missing}`;
}

type NamedScenario = Pick<ListedScenario, "name" | "question" | "needs">;

function scenariosIn(settings: ContractCommandSettings): readonly NamedScenario[] {
  const { scenarios, openLoop } = choiceOf(settings);
  return [
    ...scenarios.map(({ name, question, needs }) => ({ name, question, needs })),
    ...openLoop.map(({ name, question }) => ({ name, question, needs: [] })),
  ];
}

function planOn(
  target: OpenTarget,
  settings: ContractCommandSettings,
  command: RunCommand,
): Promise<Plan> {
  // `run` lists the load checks separately.
  const whyUncovered = (id: RequirementId): string | undefined =>
    command === "run" && isOfLoad(id) ? undefined : uncoveredReason(id, settings, command);
  return planContract({ ...runnerSettings(settings, target), whyUncovered });
}

/** Says what was sent to the target to make the plan. */
function sentBefore({ target, dialect }: ContractCommandSettings, plan: Plan): string {
  if (target === undefined) {
    return "The embedded reference was started and asked what it offers; it has been stopped.";
  }
  const asked = dialect.deviations?.lacks?.includes("health") === true ? "status" : "health";
  const control = target.controlUrl === undefined ? "" : "the control protocol what it offers";
  const makesEndpoints = plan.target.capabilities.includes("endpoints");
  const key = makesEndpoints
    ? ""
    : `one ${asked}, to see that the target answers and takes the key`;
  const sent = [control, key].filter((part) => part !== "").join(", and ");
  return `Nothing was sent but a preflight: ${sent}.`;
}
