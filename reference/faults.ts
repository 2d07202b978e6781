import type { Fault } from "./fault.ts";
import { authFaults } from "./faults/auth.ts";
import { ageFaults } from "./faults/by-age.ts";
import { numberFaults } from "./faults/by-number.ts";
import { cancelFaults } from "./faults/cancel.ts";
import { combinationFaults } from "./faults/combinations.ts";
import { concurrencyFaults } from "./faults/concurrency.ts";
import { delayFaults } from "./faults/by-delay.ts";
import { framingFaults } from "./faults/by-framing.ts";
import { leakFaults } from "./faults/by-leak.ts";
import { kindFaults } from "./faults/by-kind.ts";
import { lenienceFaults } from "./faults/by-lenience.ts";
import { raceEffectFaults } from "./faults/by-race.ts";
import { timerFaults } from "./faults/by-timer.ts";
import { endpointFaults } from "./faults/endpoint.ts";
import { healthFaults } from "./faults/health.ts";
import { orderFaults } from "./faults/order.ts";
import { policyTimeoutFaults } from "./faults/policy-timeout.ts";
import { policyTtlFaults } from "./faults/policy-ttl.ts";
import { policyValueFaults } from "./faults/policy-values.ts";
import { purgeFaults } from "./faults/purge.ts";
import { rateFaults } from "./faults/rate.ts";
import { retryFaults } from "./faults/retry.ts";
import { retryRefusalFaults } from "./faults/retry-refused.ts";
import { runFaults } from "./faults/run.ts";
import { runsyncFaults } from "./faults/runsync.ts";
import { runsyncWaitFaults } from "./faults/runsync-wait.ts";
import { s3Faults } from "./faults/s3.ts";
import { s3ValueFaults } from "./faults/s3-values.ts";
import { statesFaults } from "./faults/states.ts";
import { stateHandlerFaults } from "./faults/states-handler.ts";
import { stateProcessingFaults } from "./faults/states-processing.ts";
import { stateRaceFaults } from "./faults/states-races.ts";
import { statusFaults } from "./faults/status.ts";
import { statusTtlFaults } from "./faults/status-ttl.ts";
import { streamFaults } from "./faults/stream.ts";
import { submitFaults } from "./faults/submit.ts";
import { submitRewrittenFaults } from "./faults/submit-rewritten.ts";
import { submitValueFaults } from "./faults/submit-values.ts";
import { webhookFaults } from "./faults/webhook.ts";
import { webhookAnswerFaults } from "./faults/webhook-answers.ts";
import { webhookAttemptFaults } from "./faults/webhook-attempts.ts";
import { webhookValueFaults } from "./faults/webhook-values.ts";

export type { Fault } from "./fault.ts";

/** The named bugs the suite is proved by, area by area (docs/write-a-fault.md). */
export const faults: readonly Fault[] = [
  ...authFaults,
  ...endpointFaults,
  ...submitFaults,
  ...submitValueFaults,
  ...submitRewrittenFaults,
  ...policyValueFaults,
  ...policyTimeoutFaults,
  ...policyTtlFaults,
  ...s3Faults,
  ...s3ValueFaults,
  ...runFaults,
  ...runsyncFaults,
  ...runsyncWaitFaults,
  ...statusFaults,
  ...statusTtlFaults,
  ...streamFaults,
  ...cancelFaults,
  ...retryFaults,
  ...retryRefusalFaults,
  ...purgeFaults,
  ...healthFaults,
  ...webhookFaults,
  ...webhookAttemptFaults,
  ...webhookAnswerFaults,
  ...webhookValueFaults,
  ...statesFaults,
  ...stateHandlerFaults,
  ...stateRaceFaults,
  ...stateProcessingFaults,
  ...rateFaults,
  ...concurrencyFaults,
  ...numberFaults,
  ...ageFaults,
  ...combinationFaults,
  ...orderFaults,
  ...leakFaults,
  ...framingFaults,
  ...delayFaults,
  ...raceEffectFaults,
  ...timerFaults,
  ...lenienceFaults,
  ...kindFaults,
];

export function faultNamed(name: string): Fault | undefined {
  return faults.find((fault) => fault.name === name);
}
