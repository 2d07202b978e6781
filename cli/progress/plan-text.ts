import { isOfControl } from "../../openapi/capabilities.ts";
import { requirementIds, requirements } from "../../openapi/requirements.ts";
import { notRunGroups } from "../../reports/not-run.ts";
import type { NotTried } from "../../reports/not-run.ts";
import type { Plan, PlannedCheck } from "../../contracts/plan.ts";
import { countText, durationText } from "../../reports/words.ts";
import { oneLine } from "./one-line.ts";

/** Formats the plan for people: first totals, then what does not run and why, then every check. */
export function planText(plan: Plan, sent: string): string {
  const parts = [totals(plan), leftOutText(plan), checksText(plan), `Dry run. ${sent}`];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function totals({ target, dialect, checks, requirements: ids, ...plan }: Plan): string {
  const capabilities = target.capabilities.join(", ") || "none";
  return [
    `Target:       ${oneLine(target.baseUrl)}; dialect ${dialect}; capabilities ${capabilities}`,
    `Runs:         ${checks.length} checks, for ${ids.length} of ${requirementIds.length} requirements`,
    `Takes:        ${timeText(plan)}`,
    `Sends:        about ${plan.requests} requests, ${plan.jobs} of them jobs${pollingNote(plan)}`,
  ].join("\n");
}

type Times = Pick<Plan, "clock" | "longestMs" | "expectedMs" | "critical" | "shorter">;

const stepTexts: Readonly<Record<Plan["critical"][number]["what"], string>> = {
  shared: "for checks that share the endpoint",
  stalled: "for those whose jobs wait while no worker is free",
  alone: "for those that need the endpoint to themselves",
  wait: "for the longest wait",
};

function timeText({ clock, expectedMs, critical, shorter }: Times): string {
  if (clock === "virtual") return "seconds: the clock is virtual and is moved";
  const steps = critical.map(({ what, ms }) => `${secondsText(ms)} ${stepTexts[what]}`);
  const path = steps.length === 0 ? "" : `: ${steps.join(", then ")}`;
  const ways = shorter.map(({ by, ms }) => `${by}: ${secondsText(ms)}`);
  const told = ways.length === 0 ? [] : [`Shorter with: ${ways.join("; ")}`];
  return [`about ${secondsText(expectedMs)}${path}`, ...told].join("\n");
}

function secondsText(ms: number): string {
  return durationText(Math.round(ms / 1000) * 1000);
}

/** The cost of a check was measured without waiting; on a real clock it also polls. */
function pollingNote({ clock }: Times): string {
  return clock === "virtual"
    ? ", besides the calls of the control protocol"
    : "; plus status polling";
}

function leftOutText(plan: Plan): string {
  const hasControl = plan.target.capabilities.some(isOfControl);
  const lines = notRunGroups(notTriedIn(plan), hasControl).flatMap(({ text, ids }) =>
    [`  ${oneLine(text)}`].concat(wrapped(ids)),
  );
  const others = plan.notRun.filter(({ requirements: ids }) => ids.length === 0);
  const checks = new Set(others.flatMap(({ checks: names }) => names));
  const rest = `  ${countText(checks.size, "check")} of requirements that other checks decide`;
  if (checks.size > 0) lines.push(rest);
  return lines.length === 0 ? "" : `Does not run:\n${lines.join("\n")}`;
}

function notTriedIn({ notRun }: Plan): readonly NotTried[] {
  return notRun.flatMap(({ reason, requirements: ids }) =>
    ids.map((id) => ({ id, area: requirements[id].area, reason })),
  );
}

const idsALine = 10;

function wrapped(ids: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < ids.length; at += idsALine) {
    lines.push(`    ${ids.slice(at, at + idsALine).join(" ")}`);
  }
  return lines;
}

function checksText({ checks }: Plan): string {
  if (checks.length === 0) return "No check would run.";
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.map((check) => checkLine(check, width));
  return `Checks, with their requirements, time on a real clock, requests and jobs:\n${lines.join("\n")}`;
}

function checkLine(check: PlannedCheck, width: number): string {
  const { name, covers, realTimeMs, exclusive, requests, jobs } = check;
  const time = realTimeMs === 0 ? "" : `, ${durationText(realTimeMs)}`;
  const alone = exclusive ? ", alone" : "";
  return `  ${name.padEnd(width)}  ${covers.join(" ")}${time}${alone}, ${countText(requests, "request")}, ${countText(jobs, "job")}`;
}
