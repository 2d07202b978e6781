import { servedFaults } from "../../reference/faults.ts";
import type { Fault } from "../../reference/faults.ts";
import { authFaults } from "./auth.ts";
import { ageFaults } from "./by-age.ts";
import { numberFaults } from "./by-number.ts";
import { cancelFaults } from "./cancel.ts";
import { combinationFaults } from "./combinations.ts";
import { concurrencyFaults } from "./concurrency.ts";
import { delayFaults } from "./by-delay.ts";
import { framingFaults } from "./by-framing.ts";
import { leakFaults } from "./by-leak.ts";
import { kindFaults } from "./by-kind.ts";
import { lenienceFaults } from "./by-lenience.ts";
import { raceEffectFaults } from "./by-race.ts";
import { timerFaults } from "./by-timer.ts";
import { endpointFaults } from "./endpoint.ts";
import { healthFaults } from "./health.ts";
import { orderFaults } from "./order.ts";
import { policyTimeoutFaults } from "./policy-timeout.ts";
import { policyTtlFaults } from "./policy-ttl.ts";
import { policyValueFaults } from "./policy-values.ts";
import { purgeFaults } from "./purge.ts";
import { rateFaults } from "./rate.ts";
import { retryFaults } from "./retry.ts";
import { retryRefusalFaults } from "./retry-refused.ts";
import { runFaults } from "./run.ts";
import { runsyncFaults } from "./runsync.ts";
import { runsyncWaitFaults } from "./runsync-wait.ts";
import { s3Faults } from "./s3.ts";
import { s3ValueFaults } from "./s3-values.ts";
import { statesFaults } from "./states.ts";
import { stateHandlerFaults } from "./states-handler.ts";
import { stateProcessingFaults } from "./states-processing.ts";
import { stateRaceFaults } from "./states-races.ts";
import { statusFaults } from "./status.ts";
import { statusTtlFaults } from "./status-ttl.ts";
import { streamFaults } from "./stream.ts";
import { submitFaults } from "./submit.ts";
import { submitRewrittenFaults } from "./submit-rewritten.ts";
import { submitValueFaults } from "./submit-values.ts";
import { webhookFaults } from "./webhook.ts";
import { webhookAnswerFaults } from "./webhook-answers.ts";
import { webhookAttemptFaults } from "./webhook-attempts.ts";
import { webhookValueFaults } from "./webhook-values.ts";

/** The named bugs the suite is proved by, area by area (docs/write-a-fault.md). */
export const faults: readonly Fault[] = [
  ...servedFaults,
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
