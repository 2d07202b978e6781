import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { at, exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { dialectOf } from "./learned-dialect.ts";

const times = { delayTime: 0, executionTime: 2 };

/** What status answered, a second after the read before. */
function readOf(jobId: string, status: number, atMs: number): Exchange {
  const body =
    status === 200 ? { id: jobId, status: "COMPLETED", output: 1, ...times } : { error: "gone" };
  return at(exchangeOf(body, { status, jobId }), atMs);
}

const once = ["a 200", "a 404", "b 200", "b 404", "c 200", "c 404"];

test.each([
  { what: "of three jobs", reads: once, learned: ["results-read-once"] },
  { what: "of two jobs", reads: once.slice(0, 4), learned: [] },
  {
    what: "of three jobs, beside one that is kept",
    reads: ["k 200", "k 200", ...once],
    learned: [],
  },
  { what: "of jobs that were never read", reads: ["a 404", "b 404", "c 404"], learned: [] },
  { what: "after their retention", reads: once, everyMs: 60_000, learned: [] },
  { what: "of a target with a clock that moves", reads: once, hasClock: true, learned: [] },
])("results that are gone at the second read, $what", (row) => {
  const { reads, learned, everyMs = 1000, hasClock = false } = row;
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery, capabilities: hasClock ? ["clock"] : [] });
  const answers = reads.map((read, index) => {
    const [jobId = "", status] = read.split(" ");
    return dialect.exchange(readOf(jobId, Number(status), index * everyMs)).answer?.status;
  });
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
  // The read that shows it is given the first result, too.
  expect(answers.at(-1)).toBe(learned.length > 0 ? 200 : Number(reads.at(-1)?.split(" ")[1]));
});

test("a result that is gone since the target was away shows nothing", () => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  for (const jobId of ["a", "b", "c"]) dialect.exchange(readOf(jobId, 200, 0));
  discovery.seenOfJobs.forget();
  for (const jobId of ["a", "b", "c"]) dialect.exchange(readOf(jobId, 404, 1000));
  expect(discovery.learned).toEqual([]);
});
