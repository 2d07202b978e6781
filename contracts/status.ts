import { statusRecordChecks } from "./status/record.ts";
import { statusTimesChecks } from "./status/times.ts";
import { statusTtlChecks } from "./status/ttl.ts";
import { statusUnknownChecks } from "./status/unknown.ts";
import type { Check } from "../harness/index.ts";

/** Checks of status (docs/specification.md#job-record). */
export const statusChecks: readonly Check[] = [
  ...statusRecordChecks,
  ...statusTimesChecks,
  ...statusTtlChecks,
  ...statusUnknownChecks,
];
