import type { OperationName, SubmitOperation } from "../openapi/operations.ts";
import {
  problem,
  success,
  whenTold,
  type OperationAnswer,
  type OperationRequest,
} from "./answer.ts";
import { decimal } from "./behaviour/submission.ts";
import type { Job } from "./job.ts";
import { readSubmission } from "./submission.ts";
import { answerChat } from "./openai/answer-chat.ts";
import { isFinal } from "./transitions.ts";
import type { TransitionEvent } from "./transitions.ts";

type Perform = (request: OperationRequest) => OperationAnswer | Promise<OperationAnswer>;

/** What each operation does (docs/specification.md#endpoints), free of HTTP. */
export const performers: Readonly<Record<OperationName, Perform>> = {
  run: (request) => submit(request, "run"),
  runsync: (request) => submit(request, "runsync"),
  status: (request) => withJob(request, readStatus),
  stream: (request) => withJob(request, readStream),
  cancel: (request) => withJob(request, cancel),
  retry: (request) => withJob(request, retry),
  "purge-queue": purge,
  health: (request) => success(request, health(request)),
  openai: (request) =>
    request.endpoint.behaviour.surface.openAi === "chat"
      ? answerChat(request)
      : success(request, openAiAnswer),
  requests: (request) => success(request, listRequests(request)),
};

/** The endpoint runs the conformance handler, so there is no model to speak with. */
const openAiAnswer = { object: "chat.completion", choices: [] };

const LISTED_JOBS_MAX = 100;

function submit(
  request: OperationRequest,
  operation: SubmitOperation,
): OperationAnswer | Promise<OperationAnswer> {
  const { endpoint, body, contentType, isChunked, query } = request;
  const { behaviour } = endpoint;
  const raw = { operation, body, contentType, isChunked, wait: query["wait"] };
  const reading = readSubmission(raw, behaviour);
  if ("problem" in reading) {
    const { problem: detail, status, rejected } = reading;
    if (rejected !== undefined && !behaviour.submission.refusalCreatesNoJob(detail, operation)) {
      endpoint.submit(operation, rejected, 0);
    }
    return problem(behaviour, status, detail);
  }

  const job = endpoint.submit(operation, reading.submission, reading.waitMs);
  const answer = (): OperationAnswer => answerSubmission(request, job);
  const { operations } = behaviour;
  return operations.waitsForJob(job)
    ? whenEnded(request, job, operations.waitsForMs(job)).then(answer)
    : answer();
}

/** Settles when the job ends or the wait is over, whichever comes first, on the endpoint's clock. */
function whenEnded(request: OperationRequest, job: Job, waitMs: number): Promise<void> {
  const { endpoint } = request;
  const { operations } = endpoint.behaviour;
  let isWaiting = true;
  const befall = (event: TransitionEvent | undefined): void => {
    if (event !== undefined) endpoint.apply(job, event);
  };
  request.onBrokenOff(() => {
    if (isWaiting) befall(operations.brokenOffEvent(job));
  });
  return whenTold(request, job.waiters, waitMs, () =>
    befall(operations.waitOverEvent(job)),
  ).finally(() => {
    isWaiting = false;
  });
}

function answerSubmission(request: OperationRequest, job: Job): OperationAnswer {
  const { endpoint, operation } = request;
  const { operations } = endpoint.behaviour;
  if (operation === "run") {
    return success(request, { id: job.id, status: "IN_QUEUE" }, job);
  }
  if (job.isDeleted) return unknownJob(request);
  const answer = success(request, endpoint.recordOf(job, operation), job);
  return job.status === "FAILED"
    ? { ...answer, status: operations.failedRunsyncStatus(job) }
    : answer;
}

function unknownJob({ endpoint, operation, jobId }: OperationRequest): OperationAnswer {
  const { behaviour } = endpoint;
  const status = behaviour.operations.unknownJobStatus(operation, jobId);
  return problem(behaviour, status, "job not found");
}

function withJob(
  request: OperationRequest,
  perform: (request: OperationRequest, job: Job) => OperationAnswer | Promise<OperationAnswer>,
): OperationAnswer | Promise<OperationAnswer> {
  const job = request.endpoint.find(request.jobId, request.operation);
  return job === undefined ? unknownJob(request) : perform(request, job);
}

function readStatus(
  request: OperationRequest,
  job: Job,
): OperationAnswer | Promise<OperationAnswer> {
  const { endpoint, query } = request;
  const { operations } = endpoint.behaviour;
  const ttl = query["ttl"];
  const nowMs = endpoint.clock.nowMs();
  if (ttl !== undefined) {
    if (!operations.acceptsStatusTtl(ttl)) {
      return problem(endpoint.behaviour, 400, "ttl must be a positive integer");
    }
    const endsAtMs = operations.ttlEndsAtMs(decimal(ttl) ?? 0, job, nowMs);
    if (endsAtMs !== undefined && !isFinal(job.status)) endpoint.setTtlEnd(job, endsAtMs);
  }
  const answer = (): OperationAnswer => {
    if (job.isDeleted) return unknownJob(request);
    const shown = success(request, endpoint.recordOf(job, "status"), job);
    operations.afterRead({ operation: "status", job, nowMs: endpoint.clock.nowMs() });
    return shown;
  };
  return request.holdMs === 0 || isFinal(job.status)
    ? answer()
    : whenTold(request, job.waiters, request.holdMs).then(answer);
}

function readStream(
  request: OperationRequest,
  job: Job,
): OperationAnswer | Promise<OperationAnswer> {
  const hasNews = isFinal(job.status) || job.chunks.length > job.chunksRead;
  if (hasNews || request.holdMs === 0) return takeChunks(request, job);
  return whenTold(request, job.listeners, request.holdMs).then(() =>
    job.isDeleted ? unknownJob(request) : takeChunks(request, job),
  );
}

function takeChunks(request: OperationRequest, job: Job): OperationAnswer {
  const { endpoint } = request;
  const { stream, operations } = endpoint.behaviour;
  const firstIndex = job.chunksRead;
  const elements = stream
    .take(job)
    .map((output, at) => stream.element(output, stream.metrics(firstIndex + at)));
  if (elements.length > 0) endpoint.touch(job);
  const answer = success(request, elements, job);
  operations.afterRead({ operation: "stream", job, nowMs: endpoint.clock.nowMs() });
  return answer;
}

function cancel(request: OperationRequest, job: Job): OperationAnswer {
  const { endpoint } = request;
  const { operations } = endpoint.behaviour;
  const wasAccepted = endpoint.apply(job, "cancel");
  if (operations.workersFreedBesides(job, wasAccepted)) endpoint.freeWorker();
  if (!wasAccepted) return refuseCancel(request, job);

  return success(request, { id: job.id, status: "CANCELLED" }, job);
}

function refuseCancel(request: OperationRequest, job: Job): OperationAnswer {
  const { behaviour } = request.endpoint;
  const { finishedCancelStatus: status, finishedCancelShows } = behaviour.operations;
  return status < 400
    ? success(request, { id: job.id, status: finishedCancelShows(job) }, job)
    : problem(behaviour, status, `job is already ${job.status}`);
}

function retry(request: OperationRequest, job: Job): OperationAnswer {
  const { behaviour } = request.endpoint;
  const { status } = job;
  if (!request.endpoint.apply(job, "retry")) {
    const detail = `only a FAILED or TIMED_OUT job can be retried, this one is ${status}`;
    return problem(behaviour, behaviour.operations.refusedRetryStatus, detail);
  }
  return success(request, { id: job.id, status: "IN_QUEUE" }, job);
}

function purge(request: OperationRequest): OperationAnswer {
  const { operations } = request.endpoint.behaviour;
  const removed = request.endpoint.purge();
  return success(request, { removed: operations.removedCount(removed), status: "completed" });
}

function health({ endpoint }: OperationRequest): unknown {
  return endpoint.behaviour.operations.healthAnswer(endpoint.counts());
}

function listRequests({ endpoint }: OperationRequest): unknown {
  const jobs = endpoint.listJobs(LISTED_JOBS_MAX);
  return { requests: jobs.map(({ id, status }) => ({ id, status })) };
}
