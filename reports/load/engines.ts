import type { ReportLoad } from "../model.ts";

export type Engine = ReportLoad["engine"];

/** Strongest engine first; a report shows them in this order. */
export const engines: readonly Engine[] = ["probe", "autocannon", "k6"];

/** Returns the engine of a check by the check's name; undefined for a contract check. */
export function engineOf(checkName: string): Engine | undefined {
  if (checkName.startsWith("load/autocannon/")) return "autocannon";
  if (checkName.startsWith("load/k6/")) return "k6";
  return /^(rate|concurrency)\//.test(checkName) ? "probe" : undefined;
}
