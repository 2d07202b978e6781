import { atLeast, figure, ownJobsDone, zeroCount, soundAnswers } from "../scenario.ts";
import type { Scenario, ScenarioPlan, ScenarioSize } from "../scenario.ts";

const readersAtFull = 40;
const handlerChunks = 20;
const intervalMs = 100;
const pollMs = 500;

/** Lets many readers read a stream each, while its chunks come. */
export const streamReaders: Scenario = {
  name: "stream-readers",
  question: "Does every reader of a stream get every chunk, in order, while the job still runs?",
  limits: "no chunk lost or out of order, some read before the job's end, nothing refused, no 5xx",
  needs: ["streaming"],
  durationMs: 30_000,
  endpoint: { workers: readersAtFull, clock: "real" },
  plan,
  answer: (figures) => {
    const lost = Number(figures["chunks lost"] ?? 0);
    // Chunks of jobs of one's own have no numbers.
    const disorder = figures["reads out of order"];
    const isRight = lost + Number(disorder ?? 0) === 0;
    const order = disorder === undefined ? "" : `, ${disorder} reads out of order`;
    return `${isRight ? "Yes" : "No"}: ${figures["chunks"] ?? 0} chunks of ${figures["streams"] ?? 0} streams, ${lost} lost${order}; the first chunk came after ${figures["first chunk ms p95"] ?? "?"} ms at most in 95 %.`;
  },
};

function plan(size: ScenarioSize): ScenarioPlan {
  const readers = Math.max(1, Math.round(readersAtFull * size.scale));
  // A round is one stream and the reads around it. The rest of the duration is a margin for the last round.
  const { own } = size;
  const chunks = own?.chunks ?? handlerChunks;
  const workMs = own?.streamingMs ?? handlerChunks * intervalMs;
  const roundMs = workMs + 2 * pollMs;
  const rounds = Math.max(1, Math.floor(size.durationMs / roundMs));
  const longestMs = rounds * roundMs * 3 + 30_000;
  const streams = readers * rounds;
  const reads = Math.ceil(roundMs / pollMs) * 2;
  return {
    cost: {
      requests: streams * (1 + reads),
      jobs: streams,
      durationMs: rounds * roundMs,
      peakPerSecond: Math.ceil((readers * 2 * 1_000) / pollMs),
      inFlightMax: readers,
    },
    phases: [{ kind: "virtual-users", name: "readers", does: "read", users: readers, longestMs }],
    demands: [
      atLeast(readers, "iterations_begun", "readers begun", { of: "engine" }),
      atLeast(streams, "streams_read", "streams read to their end"),
      zeroCount("chunks_lost", "chunks lost", { requirement: "STRM-02" }),
      ...(own === undefined ? [inOrder, readEarly] : ownJobsDone(size)),
      zeroCount("requests_refused{op:stream}", "stream refused below its limit", {
        requirement: "RATE-04",
      }),
      ...soundAnswers,
    ],
    figures: [
      figure("readers", "iterations_begun"),
      figure("streams", "streams_read"),
      figure("streams read early", "streams_read_early"),
      figure("chunks", "chunks_read"),
      figure("chunks lost", "chunks_lost"),
      ...(own === undefined ? [figure("reads out of order", "reads_out_of_order")] : []),
      figure("first chunk ms p95", "first_chunk", "p95"),
      figure("read ms p95", "http_req_duration{op:stream}", "p95"),
    ],
    values: { rounds, chunks, intervalMs, pollMs, longestMs: 10 * workMs + 10_000 },
  };
}

const inOrder = zeroCount("reads_out_of_order", "reads with chunks out of order", {
  requirement: "STRM-02",
});

/** A job of the handler yields its chunks over seconds; one of the owner's may have ended before the first read. */
const readEarly = atLeast(
  1,
  "streams_read_early",
  "streams of which something was read before the job's end",
  { requirement: "STRM-04" },
);
