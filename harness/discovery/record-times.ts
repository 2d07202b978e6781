import type { Exchange } from "../../client/exchange.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Mismatch } from "../../reports/model.ts";
import { isProcessed } from "../record.ts";
import { show } from "../show.ts";
import type { Discovery, Learning } from "./discovery.ts";

/** The requirements that say by themselves what the times are. */
const ofTimes: ReadonlySet<RequirementId> = new Set(["ENDP-05", "STAT-03", "SYNC-01"]);

const timeNames = ["delayTime", "executionTime"] as const;

/** Of so many finished jobs, and none that has the time: it is how records are, and no matter of one job. */
const jobsMin = 3;

/** Learns that the records of finished jobs have no times. One of which it was seen that it has is a fault of its own. */
export function learnMissingTimes(
  discovery: Discovery,
  exchange: Exchange,
  record: JsonMembers,
): void {
  const { timesShown, withoutTime } = discovery.seenOfJobs;
  if (exchange.operation !== "status" || !isProcessed(record) || typeof record["id"] !== "string") {
    return;
  }
  for (const name of timeNames) {
    if (record[name] !== undefined) timesShown.add(name);
    if (timesShown.has(name)) continue;
    const jobs = withoutTime.get(name) ?? new Set();
    withoutTime.set(name, jobs.add(record["id"]));
    if (jobs.size < jobsMin) continue;
    discovery.learn({
      id: "times-missing",
      topic: "records",
      text: `records of finished jobs have no ${name}`,
      adapted: "what compares it is not run",
      breaks: ["STAT-03"],
      expected: `${name}, an integer of 0 or more`,
      ...aboutTimes,
      deviations: { recordsWithout: [name] },
      seen: [exchange],
    });
  }
}

/** Which differences and reasons the times of records explain. */
const aboutTimes: Pick<Learning, "explains" | "excuses" | "excusesReason"> = {
  explains: (mismatch) => ofTimes.has(mismatch.requirement) && isOfTimes(mismatch),
  excuses: isOfTimes,
  excusesReason: (reason) => /delayTime|executionTime/.test(reason),
};

/**
 * Learns from a record in the specification's terms that its times are no integers. One of which it was seen that it is
 * an integer is a fault of its own.
 */
export function learnTimes(discovery: Discovery, exchange: Exchange, record: JsonMembers): void {
  for (const name of timeNames) {
    const value = record[name];
    if (value === undefined || value === null) continue;
    discovery.hasUsualTimes ||= Number.isInteger(value) && value !== 0;
    if (discovery.hasUsualTimes || Number.isInteger(value)) continue;
    discovery.learn({
      id: "times-otherwise",
      topic: "records",
      text: `times of records are no integers: ${name} is ${show(value)}`,
      adapted: "what compares them is not run",
      expected: "integers of 0 or more",
      ...aboutTimes,
      seen: [exchange],
    });
  }
}

/** Where the end of what came is cut off, it may be that of any member, and is taken for that of a time. */
function isOfTimes({ requirement, at, expected, got }: Mismatch): boolean {
  if (requirement === "ENDP-05" && got.endsWith("…")) return true;
  return /delayTime|executionTime/.test(`${at} ${expected} ${got.slice(got.lastIndexOf("}") + 1)}`);
}
