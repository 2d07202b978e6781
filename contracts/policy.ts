import type { Check } from "../harness/index.ts";
import { executionTimeoutChecks } from "./policy/execution-timeout.ts";
import { priorityChecks } from "./policy/priority.ts";
import { longTtlChecks } from "./policy/ttl-long.ts";
import { ttlChecks } from "./policy/ttl.ts";
import { policyValueChecks } from "./policy/values.ts";

/** Checks of policy (docs/specification.md#policy). */
export const policyChecks: readonly Check[] = [
  ...policyValueChecks,
  ...executionTimeoutChecks,
  ...ttlChecks,
  ...longTtlChecks,
  ...priorityChecks,
];
