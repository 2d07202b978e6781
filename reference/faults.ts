import type { Fault } from "./fault.ts";
import { authFaults } from "./faults/auth.ts";
import { cancelFaults } from "./faults/cancel.ts";
import { concurrencyFaults } from "./faults/concurrency.ts";
import { cornerFaults } from "./faults/corners.ts";
import { encounterFaults } from "./faults/encounters.ts";
import { endpointFaults } from "./faults/endpoint.ts";
import { healthCountFaults } from "./faults/health-counts.ts";
import { healthFaults } from "./faults/health.ts";
import { policyTimeoutFaults } from "./faults/policy-timeout.ts";
import { policyTtlFaults } from "./faults/policy-ttl.ts";
import { policyValueFaults } from "./faults/policy-values.ts";
import { purgeFaults } from "./faults/purge.ts";
import { rateFaults } from "./faults/rate.ts";
import { retryRefusalFaults } from "./faults/retry-refused.ts";
import { retryAnewFaults, retryFaults } from "./faults/retry.ts";
import { runRetentionFaults } from "./faults/run-retention.ts";
import { runFaults } from "./faults/run.ts";
import { runsyncWaitFaults } from "./faults/runsync-wait.ts";
import { runsyncRetentionFaults } from "./faults/runsync-retention.ts";
import { runsyncFaults } from "./faults/runsync.ts";
import { s3Faults } from "./faults/s3.ts";
import { statesFaults } from "./faults/states.ts";
import { statusRecordFaults } from "./faults/status-record.ts";
import { statusTtlFaults } from "./faults/status-ttl.ts";
import { statusFaults } from "./faults/status.ts";
import { streamFaults } from "./faults/stream.ts";
import { submitFaults } from "./faults/submit.ts";
import { webhookEncounterFaults } from "./faults/webhook-encounters.ts";
import { webhookFaults } from "./faults/webhook.ts";

export type { Fault } from "./fault.ts";

/** The named bugs the suite is proved by, area by area (docs/write-a-fault.md). */
export const faults: readonly Fault[] = [
  ...authFaults,
  ...endpointFaults,
  ...submitFaults,
  ...policyValueFaults,
  ...policyTimeoutFaults,
  ...policyTtlFaults,
  ...s3Faults,
  ...runFaults,
  ...runRetentionFaults,
  ...runsyncFaults,
  ...runsyncWaitFaults,
  ...runsyncRetentionFaults,
  ...statusFaults,
  ...statusRecordFaults,
  ...statusTtlFaults,
  ...streamFaults,
  ...cancelFaults,
  ...retryFaults,
  ...retryRefusalFaults,
  ...retryAnewFaults,
  ...purgeFaults,
  ...healthFaults,
  ...healthCountFaults,
  ...webhookFaults,
  ...statesFaults,
  ...cornerFaults,
  ...encounterFaults,
  ...webhookEncounterFaults,
  ...rateFaults,
  ...concurrencyFaults,
];

export function faultNamed(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name);
}
