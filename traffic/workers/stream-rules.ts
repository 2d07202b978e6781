import { chunkBytesMax } from "../../openapi/sizes.ts";
import { show } from "../../harness/show.ts";
import { breach, holds, reads } from "../decision.ts";
import type { Decision } from "../decision.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { whyRefused, whyUntold } from "./hints.ts";
import { exchangeOf, outcomeText, sentOutput } from "./run-rules.ts";
import { chunksOf, isFailed, isNothing, workedMs } from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";

/** Whether a job's handler is one that streams. */
export function isStreaming({ calls, end, printed }: JobRun): boolean {
  if (chunksOf({ calls }).length > 0) return true;
  // The library marks the results of generators, also where every chunk was lost.
  const isMarked = end.kind === "told" && end.call.exchange.target.includes("isStream=true");
  return isMarked && lostChunks({ printed });
}

/** Whether the library printed that it could not send something of a job. */
function lostChunks({ printed }: Pick<JobRun, "printed">): boolean {
  return printed.some((line) => /error while returning job result/i.test(line));
}

/**
 * What a streamed job shows of the entries about streams.
 * @param streamed what the service's stream told of it afterwards
 */
export function streamDecisions(
  run: JobRun,
  streamed: readonly unknown[],
): readonly (readonly [RequirementId, Decision])[] {
  const { end, test, record } = run;
  return [
    ["WORK-40", allChunksArrive(run, streamed)],
    ["WORK-41", reads(firstChunkReading(run))],
    ...(test.expectsFailure ? [["WORK-42", failsWithChunks(run, streamed)] as const] : []),
    ...(end.kind === "told" && record["status"] === "COMPLETED"
      ? [["WORK-43", outputReading(run)] as const]
      : []),
  ];
}

function allChunksArrive(run: JobRun, streamed: readonly unknown[]): Decision {
  const at = `the stream of ${JSON.stringify(run.name)}`;
  const expected = "every chunk, as JSON";
  const chunks = chunksOf(run);
  const refused = chunks.find(({ exchange }) => exchange.answer?.status !== 200);
  if (refused !== undefined) {
    const got = `a chunk was refused: ${whyRefused(refused.exchange)}`;
    return breach(at, expected, got, refused.exchange);
  }
  if (lostChunks(run)) {
    return breach(at, expected, `a chunk was not sent: ${whyUntold(run.printed)}`, exchangeOf(run));
  }
  const output = sentOutput(run);
  const told = Array.isArray(output) && output.length > 0 ? output.length : chunks.length;
  if (streamed.length < told) {
    const got = `${streamed.length} of ${told} chunks came out of the stream`;
    return breach(at, expected, got, exchangeOf(run));
  }
  return holds;
}

/** What a chunk becomes that is above 1 MB; undefined where there is none. */
export function splitChunkText({ name, calls }: JobRun): string | undefined {
  const sizes = chunksOf({ calls }).map(({ exchange }) => exchange.body.bytes.length);
  const largest = Math.max(0, ...sizes);
  if (largest <= chunkBytesMax) return undefined;
  const megabytes = (largest / 1_048_576).toFixed(1);
  return `A chunk of ${JSON.stringify(name)} has ${megabytes} MiB: the service splits what is above 1 MB, and a reader gets it in parts.`;
}

/** A chunk with the end comes as late as the result does. */
const endShare = 0.9;

function firstChunkReading(run: JobRun): string {
  const chunks = chunksOf(run);
  const [first] = chunks;
  const afterMs = (first?.exchange.arrivedMs ?? run.endedMs) - (run.takenMs ?? 0);
  const isLate = afterMs > endShare * (workedMs(run) ?? 0);
  // A single chunk is at its end whenever it comes.
  return isLate && chunks.length > 1 ? "with the end" : "while the handler works";
}

function failsWithChunks(run: JobRun, streamed: readonly unknown[]): Decision {
  const chunks = chunksOf(run).length;
  const at = `the stream of ${JSON.stringify(run.name)}`;
  const expected = "FAILED, with what was streamed before";
  if (!isFailed(run)) return breach(at, expected, outcomeText(run), exchangeOf(run));
  return streamed.length >= chunks
    ? holds
    : breach(at, expected, `FAILED, with ${streamed.length} of ${chunks} chunks`, exchangeOf(run));
}

function outputReading(run: JobRun): Decision {
  const output = sentOutput(run);
  if (isNothing(output)) return reads("nothing");
  if (Array.isArray(output)) return reads("all its chunks");
  const got = `${show(output)}, which is neither`;
  return breach("the output of a stream", "all its chunks, or nothing", got, exchangeOf(run));
}
