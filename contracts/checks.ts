import { authChecks } from "./auth.ts";
import { endpointChecks } from "./endpoint.ts";
import { submitChecks } from "./submit.ts";
import { executionTimeoutQueueChecks } from "./policy/execution-timeout-queue.ts";
import { executionTimeoutChecks } from "./policy/execution-timeout.ts";
import { priorityChecks } from "./policy/priority.ts";
import { sideBySideChecks } from "./policy/side-by-side.ts";
import { longTtlChecks } from "./policy/ttl-long.ts";
import { ttlChecks } from "./policy/ttl.ts";
import { policyValueChecks } from "./policy/values.ts";
import { s3DeliveryChecks } from "./s3/delivery.ts";
import { s3SecrecyChecks } from "./s3/secrets-kept.ts";
import { cancelFinishedChecks } from "./cancel/finished.ts";
import { cancelQueuedChecks } from "./cancel/queued.ts";
import { cancelRunningChecks } from "./cancel/running.ts";
import { acceptedRetryChecks } from "./retry/accepted.ts";
import { anewRetryChecks } from "./retry/starts-anew.ts";
import { refusedRetryChecks } from "./retry/refused.ts";
import { retryWebhookChecks } from "./retry/webhooks.ts";
import { purgeAnswerChecks } from "./purge/answer.ts";
import { purgeEffectChecks } from "./purge/effect.ts";
import { runAnswerChecks } from "./run/answers.ts";
import { runRetentionChecks } from "./run/retention.ts";
import { runsyncAnswerChecks } from "./runsync/answers.ts";
import { runsyncRetentionChecks } from "./runsync/retention.ts";
import { runsyncWaitsBesideChecks } from "./runsync/waits-beside.ts";
import { runsyncWaitChecks } from "./runsync/wait.ts";
import { statusRecordChecks } from "./status/record.ts";
import { statusReadingChecks } from "./status/reading.ts";
import { statusTimesChecks } from "./status/times.ts";
import { statusStoppedTimesChecks } from "./status/times-of-stopped-jobs.ts";
import { statusTtlChecks } from "./status/ttl.ts";
import { statusUnknownChecks } from "./status/unknown.ts";
import { streamOrderChecks } from "./stream/order.ts";
import { streamShapeChecks } from "./stream/shape.ts";
import { streamSizeChecks } from "./stream/size.ts";
import { healthEndingChecks } from "./health/endings.ts";
import { healthJobChecks } from "./health/jobs.ts";
import { healthRefusalChecks } from "./health/refusals.ts";
import { healthWorkerChecks } from "./health/workers.ts";
import { attemptChecks } from "./webhook/attempts.ts";
import { bodyChecks } from "./webhook/body.ts";
import { deliveryChecks } from "./webhook/delivery.ts";
import { endingChecks } from "./webhook/endings.ts";
import { failureChecks } from "./webhook/failures.ts";
import { harmlessChecks } from "./webhook/harmless.ts";
import { orderChecks } from "./webhook/order.ts";
import { unfinishedChecks } from "./webhook/unfinished.ts";
import { failingChecks } from "./states/failing.ts";
import { historyChecks } from "./states/histories.ts";
import { lostJobChecks } from "./states/no-job-lost.ts";
import { processedChecks } from "./states/processed.ts";
import { nothingWaitsChecks } from "./states/nothing-waits.ts";
import { purgeRaceChecks } from "./states/purge-races.ts";
import { raceEffectChecks } from "./states/race-effects.ts";
import { raceChecks } from "./states/races.ts";
import { stableChecks } from "./states/stable.ts";
import { workerChecks } from "./states/workers.ts";
import { ageChecks } from "./states/ages.ts";
import { combinationChecks } from "./states/combinations.ts";
import { manyJobsChecks } from "./states/many-jobs.ts";
import { manyRequestsChecks } from "./states/many-requests.ts";
import { modelChecks } from "./model/model-check.ts";
import { historyCheck } from "./history/judge-history.ts";
import type { Check } from "../harness/check.ts";

/** Every check of the suite, area by area. */
export const checks: readonly Check[] = [
  ...authChecks,
  ...endpointChecks,
  ...submitChecks,
  ...policyValueChecks,
  ...executionTimeoutChecks,
  ...executionTimeoutQueueChecks,
  ...ttlChecks,
  ...longTtlChecks,
  ...priorityChecks,
  ...sideBySideChecks,
  ...s3DeliveryChecks,
  ...s3SecrecyChecks,
  ...cancelQueuedChecks,
  ...cancelRunningChecks,
  ...cancelFinishedChecks,
  ...acceptedRetryChecks,
  ...refusedRetryChecks,
  ...anewRetryChecks,
  ...retryWebhookChecks,
  ...purgeAnswerChecks,
  ...purgeEffectChecks,
  ...runAnswerChecks,
  ...runRetentionChecks,
  ...runsyncAnswerChecks,
  ...runsyncWaitChecks,
  ...runsyncWaitsBesideChecks,
  ...runsyncRetentionChecks,
  ...statusRecordChecks,
  ...statusReadingChecks,
  ...statusTimesChecks,
  ...statusStoppedTimesChecks,
  ...statusTtlChecks,
  ...statusUnknownChecks,
  ...streamShapeChecks,
  ...streamOrderChecks,
  ...streamSizeChecks,
  ...healthJobChecks,
  ...healthEndingChecks,
  ...healthWorkerChecks,
  ...healthRefusalChecks,
  ...deliveryChecks,
  ...bodyChecks,
  ...attemptChecks,
  ...failureChecks,
  ...unfinishedChecks,
  ...orderChecks,
  ...harmlessChecks,
  ...endingChecks,
  ...historyChecks,
  ...stableChecks,
  ...workerChecks,
  ...failingChecks,
  ...raceChecks,
  ...raceEffectChecks,
  ...purgeRaceChecks,
  ...nothingWaitsChecks,
  ...processedChecks,
  ...lostJobChecks,
  ...manyJobsChecks,
  ...manyRequestsChecks,
  ...ageChecks,
  ...combinationChecks,
  ...modelChecks,
  historyCheck,
];
