import type { Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { yieldsChunks } from "../inputs/conformance-jobs.ts";
import { isSuccess } from "../read.ts";
import { recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import type { Discovery } from "./discovery.ts";
import type { StreamsSeen, YieldingJob } from "./seen-of-jobs.ts";
import { isSuccessOf } from "./shown-by.ts";

/**
 * A chunk that is to be read so long after the end of its job, in milliseconds, does not come any more; one that was there
 * may be gone later, with the result (docs/specification.md#limits).
 */
const readAfterMs = { min: 4000, max: 30_000 };
/** So many jobs: it is no matter of one job. */
const jobsMin = 2;

/**
 * Learns that stream gives no chunk of any job: it is there, and its array is always empty. To be called with what came
 * of a target on a real clock, in the specification's terms.
 */
export function learnEmptyStreams(discovery: Discovery, exchange: Exchange): void {
  const { streams } = discovery.seenOfJobs;
  const record = recordShownBy(exchange);
  if (record === undefined) noteRead(streams, exchange);
  else noteRecord(streams, record, exchange);
  if (streams.isAnyChunk || streams.empty.size < jobsMin) return;
  const isStream = isSuccessOf("stream");
  discovery.learn({
    id: "streams-empty",
    topic: "stream",
    text: "stream gives no chunk of any job: its array is empty, also of jobs that have yielded",
    adapted: "not asked for again",
    breaks: ["STRM-02"],
    expected: "every chunk that the handler yields",
    excuses: ({ got }, evidence) =>
      isStream(evidence) || /\b(?:0|no) (?:chunks?|characters)\b/.test(got),
    excusesReason: (reason) => /\bstreams?\b|\bchunks?\b/.test(reason),
    deviations: { lacks: ["stream"] },
    seen: [...streams.empty.values()],
  });
}

function noteRecord(streams: StreamsSeen, record: LooseRecord, exchange: Exchange): void {
  const { id, status, delayTime, executionTime } = record;
  const { request, answeredAtMs } = exchange;
  if (yieldsChunks(request.body)) streams.yielding.set(id, { submittedAtMs: answeredAtMs });
  const job = streams.yielding.get(id);
  if (job === undefined || status !== "COMPLETED") return;
  const tookMs = Number(delayTime) + Number(executionTime);
  const endedAtMs = job.submittedAtMs + tookMs;
  job.endedAtMs ??= Number.isNaN(tookMs) ? answeredAtMs : Math.min(endedAtMs, answeredAtMs);
  judge(streams, id, job);
}

function noteRead(streams: StreamsSeen, exchange: Exchange): void {
  const { answer, operation, request } = exchange;
  if (operation !== "stream" || answer === undefined || !isSuccess(answer)) return;
  const body = bodyOf(answer);
  if (!body.ok || !Array.isArray(body.value)) return;
  streams.isAnyChunk ||= body.value.length > 0;
  const { jobId = "" } = request;
  const job = streams.yielding.get(jobId);
  if (job === undefined) return;
  job.lastRead = exchange;
  judge(streams, jobId, job);
}

function judge({ empty }: StreamsSeen, id: string, { endedAtMs, lastRead }: YieldingJob): void {
  if (endedAtMs === undefined || lastRead === undefined) return;
  const ageMs = lastRead.sentAtMs - endedAtMs;
  if (ageMs > readAfterMs.min && ageMs < readAfterMs.max) empty.set(id, lastRead);
}
