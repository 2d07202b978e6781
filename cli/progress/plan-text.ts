import { requirementIds } from "../../openapi/index.ts";
import type { LeftOut, Plan, PlannedCheck } from "../../contracts/index.ts";
import { formatDuration } from "../settings/duration.ts";
import { oneLine } from "./one-line.ts";

/** The plan for people: totals first, then what does not run and why, then every check. */
export function planText(plan: Plan, sent: string): string {
  const parts = [totals(plan), leftOutText(plan), checksText(plan), `Dry run. ${sent}`];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function totals({ target, dialect, checks, requirements, ...plan }: Plan): string {
  const capabilities = target.capabilities.join(", ") || "none";
  return [
    `Target:       ${oneLine(target.baseUrl)}; dialect ${dialect}; capabilities ${capabilities}`,
    `Runs:         ${checks.length} checks, for ${requirements.length} of ${requirementIds.length} requirements`,
    `Takes:        ${durationText(plan)}`,
    `Sends:        about ${plan.requests} requests, ${plan.jobs} of them jobs${pollingNote(plan)}`,
  ].join("\n");
}

type Times = Pick<Plan, "clock" | "longestMs" | "exclusiveMs" | "throttledMs" | "atMostMs">;

function durationText({ clock, longestMs, exclusiveMs, throttledMs, atMostMs }: Times): string {
  if (clock === "virtual") return "seconds: the clock is virtual and is moved";
  const parts = [
    `the longest wait ${inWords(longestMs)}`,
    `checks that need the endpoint to themselves ${inWords(exclusiveMs)}`,
    `keeping below the limit of purge-queue ${inWords(throttledMs)}`,
  ];
  return `about ${inWords(atMostMs)} at most, and the time of the answers (${parts.join(", ")})`;
}

/** What a check costs was measured where nothing has to be waited for. */
function pollingNote({ clock }: Times): string {
  return clock === "virtual"
    ? ", besides the calls of the control protocol"
    : "; plus status polling";
}

function inWords(ms: number): string {
  return ms === 0 ? "0s" : formatDuration(ms);
}

function leftOutText({ notRun }: Plan): string {
  const rows = folded(notRun).flatMap(leftOutLines);
  return rows.length === 0 ? "" : `Does not run:\n${rows.join("\n")}`;
}

const tooLong = /^takes .+ on a real clock; the time budget is (.+)$/;

/** What takes too long is one reason, however long it takes. */
function folded(notRun: readonly LeftOut[]): readonly LeftOut[] {
  const groups = new Map<string, LeftOut>();
  for (const { reason, requirements, checks } of notRun) {
    const budget = tooLong.exec(reason)?.[1];
    const key = budget === undefined ? reason : `longer than the time budget of ${budget}`;
    const before = groups.get(key);
    groups.set(key, {
      reason: key,
      requirements: [...(before?.requirements ?? []), ...requirements],
      checks: [...(before?.checks ?? []), ...checks],
    });
  }
  return [...groups.values()];
}

function leftOutLines({ reason, requirements, checks }: LeftOut): readonly string[] {
  const head = `  ${oneLine(reason)}`;
  if (requirements.length === 0) {
    return [`${head}: ${counted(checks.length, "check")} of requirements that others decide`];
  }
  return [`${head}: ${counted(requirements.length, "requirement")}`, ...wrapped(requirements)];
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
  const time = realTimeMs === 0 ? "" : `, ${formatDuration(realTimeMs)}`;
  const alone = exclusive ? ", alone" : "";
  return `  ${name.padEnd(width)}  ${covers.join(" ")}${time}${alone}, ${counted(requests, "request")}, ${counted(jobs, "job")}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
