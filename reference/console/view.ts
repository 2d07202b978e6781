import { RealClock } from "../clock.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Job, JsonObject } from "../job.ts";
import type { Service } from "../service.ts";

const JOBS_SHOWN = 50;
const REQUESTS_SHOWN = 50;

/** The state of the server for the page, without keys. Jobs are those of `chosen`, else of the first endpoint. */
export function viewOf(
  service: Service,
  chosen: string | undefined,
  filter: string | undefined,
): JsonObject {
  const endpoints = [...service.endpoints];
  const shown = endpoints.find(({ id }) => id === chosen) ?? endpoints[0];
  return {
    endpoints: endpoints.map(endpointView),
    chosen: shown?.id,
    requests: service.requests?.latest(REQUESTS_SHOWN, filter) ?? [],
    brokenOff: service.requests?.brokenOff ?? 0,
    jobs: shown?.latestJobs(JOBS_SHOWN).map((job) => jobView(shown, job)) ?? [],
  };
}

/** Everything about one job but its storage settings, which hold a secret. */
export function detailsOf(
  endpoint: Endpoint,
  job: Job,
  workerLines: Service["workerLines"],
): JsonObject {
  const { input, webhook, policy } = job.submission;
  return {
    ...endpoint.recordOf(job, "status"),
    submittedAtMs: job.submittedAtMs,
    attempt: job.attempt,
    dispatches: job.dispatches,
    request: { input, webhook, policy },
    ...(job.chunks.length > 0 && { chunks: job.chunks }),
    ...printedDuring(endpoint, job, workerLines),
    ...(webhook !== undefined && { webhookAttempts: endpoint.webhooks.attemptsOf(job) }),
  };
}

/** What its worker printed while it had the job. */
function printedDuring(
  { clock }: Endpoint,
  { workerId, startedAtMs, finishedAtMs = clock.nowMs() }: Job,
  workerLines: Service["workerLines"],
): JsonObject {
  if (workerLines === undefined || workerId === undefined || startedAtMs === undefined) return {};
  return { printed: workerLines(workerId, startedAtMs, finishedAtMs) };
}

function endpointView(endpoint: Endpoint): JsonObject {
  const { id, clock, plan } = endpoint;
  return {
    id,
    clock: {
      mode: clock.mode,
      nowMs: clock.nowMs(),
      speed: clock instanceof RealClock ? clock.speed : 0,
    },
    plan: plan.workers,
    counts: endpoint.counts(),
  };
}

function jobView(endpoint: Endpoint, job: Job): JsonObject {
  const { id, status, attempt, error } = job;
  return {
    id,
    status,
    attempt,
    error: error?.slice(0, 1000),
    input: job.shownInput,
    ageMs: endpoint.clock.nowMs() - job.submittedAtMs,
    webhook: webhookState(endpoint, job),
  };
}

function webhookState(endpoint: Endpoint, job: Job): string {
  if (job.submission.webhook === undefined) return "none";
  const attempts = endpoint.webhooks.attemptsOf(job);
  if (attempts.at(-1)?.wasAcknowledged === true) return "acknowledged";
  return attempts.length === 0 ? "waiting" : `failed ${attempts.length}×`;
}
