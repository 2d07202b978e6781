import { isJsonObject } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import type { Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { lacksMetrics } from "../dialects/record-operations.ts";
import type { Deviations } from "../dialects/schema.ts";
import { isSuccess } from "../read.ts";
import { show } from "../show.ts";
import type { Discovery, Learning } from "./discovery.ts";
import { isSuccessOf } from "./shown-by.ts";
import { yieldsChunks } from "../inputs/conformance-jobs.ts";
import { recordShownBy } from "../record.ts";
import type { LooseRecord } from "../record.ts";
import type { StreamsSeen, YieldingJob } from "./seen-of-jobs.ts";

/**
 * Learns from an answer of stream, as it came, that its array stands in an object, that its elements have no metrics, or
 * that it sends events in place of JSON. Each is one cause, and where there is an array the run reads it.
 * @param given what the dialect says already: that is tolerated, and no cause
 */
export function learnStream(
  discovery: Discovery,
  exchange: Exchange,
  { stream = {} }: Deviations = {},
): void {
  const { answer, operation } = exchange;
  if (operation !== "stream" || answer === undefined || !isSuccess(answer)) return;
  const type = answer.headers["content-type"] ?? "";
  if (/^text\/event-stream/i.test(type)) learnEvents(discovery, exchange);
  const body = bodyOf(answer);
  if (body.ok) learnArray(discovery, exchange, { value: body.value, given: stream });
}

function learnArray(
  discovery: Discovery,
  exchange: Exchange,
  { value, given }: { readonly value: unknown; readonly given: Deviations["stream"] & object },
): void {
  const member = isJsonObject(value) ? arrayIn(value) : undefined;
  if (member !== undefined && member !== given.member) learnObject(discovery, exchange, member);
  const elements = isJsonObject(value) && member !== undefined ? value[member] : value;
  // Elements that lack metrics alone are for the checks, which give a script that repeats it.
  const isOther = discovery.knows("stream-in-object") || given.member !== undefined;
  if (isOther && given.withoutMetrics !== true) learnMetrics(discovery, exchange, elements);
}

const jsonArray: Pick<Learning, "topic" | "breaks" | "expected"> = {
  topic: "stream",
  breaks: ["ENDP-05", "STRM-01"],
  expected: "a JSON array whose elements have an object output and an object metrics",
};

function learnObject(discovery: Discovery, exchange: Exchange, member: string): void {
  discovery.learn({
    ...jsonArray,
    id: "stream-in-object",
    text: `stream answers an object, and has its array in the member ${show(member)}`,
    adapted: "read from there",
    deviations: { stream: { member } },
    seen: [exchange],
  });
}

function learnMetrics(discovery: Discovery, exchange: Exchange, elements: unknown): void {
  if (!Array.isArray(elements) || elements.length === 0) return;
  const all: readonly unknown[] = elements;
  discovery.hasUsualChunks ||= !all.every(lacksMetrics);
  if (discovery.hasUsualChunks) return;
  discovery.learn({
    ...jsonArray,
    id: "stream-without-metrics",
    text: "the elements of a stream have no metrics",
    adapted: "read without them",
    deviations: { stream: { withoutMetrics: true } },
    seen: [exchange],
  });
}

const isStream = isSuccessOf("stream");

function learnEvents(discovery: Discovery, exchange: Exchange): void {
  discovery.learn({
    ...jsonArray,
    id: "stream-of-events",
    text: "stream sends events (text/event-stream) in place of a JSON array",
    adapted: "not asked for again",
    deviations: { lacks: ["stream"] },
    breaks: ["ENDP-03", "ENDP-05", "STRM-01"],
    excuses: (_, evidence) => isStream(evidence),
    seen: [exchange],
  });
}

/** The one member that is an array, where the object is no record of an error. */
function arrayIn(value: JsonMembers): string | undefined {
  const names = Object.keys(value).filter((name) => Array.isArray(value[name]));
  return names.length === 1 && value["error"] === undefined ? names[0] : undefined;
}

/**
 * A chunk that is to be read so long after the end of its job, in milliseconds, does not come any more; one that was there
 * may be gone later, with the result (docs/specification.md#limits).
 */
const readAfterMs = { min: 4000, max: 30_000 };
/** So many jobs: it is no matter of one job. */
const emptyJobsMin = 2;

/**
 * Learns that stream gives no chunk of any job: it is there, and its array is always empty. To be called with what came
 * of a target on a real clock, in the specification's terms.
 */
export function learnEmptyStreams(discovery: Discovery, exchange: Exchange): void {
  const { streams } = discovery.seenOfJobs;
  const record = recordShownBy(exchange);
  if (record === undefined) noteRead(streams, exchange);
  else noteRecord(streams, record, exchange);
  if (streams.isAnyChunk || streams.empty.size < emptyJobsMin) return;
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
