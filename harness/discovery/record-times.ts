import type { Exchange } from "../../client/exchange.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Mismatch } from "../../reports/model.ts";
import { show } from "../show.ts";
import type { Discovery } from "./discovery.ts";

/** The requirements that say by themselves what the times are. */
const ofTimes: ReadonlySet<RequirementId> = new Set(["ENDP-05", "STAT-03", "SYNC-01"]);

/**
 * Learns from a record in the specification's terms that its times are no integers. One of which it was seen that it is
 * an integer is a fault of its own.
 */
export function learnTimes(discovery: Discovery, exchange: Exchange, record: JsonMembers): void {
  for (const name of ["delayTime", "executionTime"] as const) {
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
      explains: (mismatch) => ofTimes.has(mismatch.requirement) && isOfTimes(mismatch),
      excuses: isOfTimes,
      excusesReason: (reason) => /delayTime|executionTime/.test(reason),
      seen: [exchange],
    });
  }
}

/** Where the end of what came is cut off, it may be that of any member, and is taken for that of a time. */
function isOfTimes({ requirement, at, expected, got }: Mismatch): boolean {
  if (requirement === "ENDP-05" && got.endsWith("…")) return true;
  return /delayTime|executionTime/.test(`${at} ${expected} ${got.slice(got.lastIndexOf("}") + 1)}`);
}
