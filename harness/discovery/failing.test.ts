import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnRandomFailures, learnTooLarge } from "./failing.ts";
import { dialectOf } from "./learned-dialect.ts";
import { resultsOf } from "./results.ts";
import type { OperationName } from "../../openapi/operations.ts";

function retryOf(jobId: string, status: number): Exchange {
  const exchange = exchangeOf({ error: "internal" }, { operation: "retry", status });
  return { ...exchange, request: { ...exchange.request, jobId } };
}

test.each([
  { what: "of three jobs", retries: ["a 500", "b 500", "c 500"], learned: ["failing-retry"] },
  { what: "of one job", retries: ["a 500", "a 500", "a 500"], learned: [] },
  {
    what: "of three jobs, after one that was accepted",
    retries: ["z 200", "a 500", "b 500", "c 500"],
    learned: [],
  },
  { what: "of three jobs by a gateway", retries: ["a 502", "b 502", "c 502"], learned: [] },
  { what: "of three jobs by a refusal", retries: ["a 400", "b 400", "c 400"], learned: [] },
])("retries that fail, $what", ({ retries, learned }) => {
  const discovery = new Discovery();
  const dialect = dialectOf({ discovery });
  for (const retry of retries) {
    const [jobId = "", status] = retry.split(" ");
    dialect.exchange(retryOf(jobId, Number(status)));
  }
  expect(discovery.learned.map(({ id }) => id)).toEqual(learned);
  expect(dialect.obstacle("retry") === undefined).toBe(learned.length === 0);
});

test.each([
  { what: "and succeed again, of three jobs", reads: "a500 a200 b500 b200 c500 c200", isSo: true },
  { what: "and succeed again, of two jobs", reads: "a500 a200 b500 b200", isSo: false },
  { what: "and do so again", reads: "a500 a500 b500 b500 c500 c500", isSo: false },
  { what: "once they had succeeded", reads: "a200 a500 b200 b500 c200 c500", isSo: false },
])("reads that fail by 500 $what fail at random: $isSo", ({ reads, isSo }) => {
  const discovery = new Discovery();
  for (const read of reads.split(" ")) {
    const [jobId = "", ...status] = read;
    learnRandomFailures(discovery, exchangeOf({}, { jobId, status: Number(status.join("")) }));
  }
  expect(discovery.knows("fails-at-random")).toBe(isSo);
});

function tooLarge(operation: OperationName): Exchange {
  const failure = { kind: "too-large", message: "an answer of more than 9 bytes" } as const;
  return { ...exchangeOf("", { operation }), answer: undefined, failure };
}

test.each([
  { what: "two of status", seen: [tooLarge("status"), tooLarge("status")], learned: ["STAT-01"] },
  { what: "one of status", seen: [tooLarge("status")], learned: [] },
  { what: "one of each", seen: [tooLarge("status"), tooLarge("stream")], learned: [] },
])("of answers that are too large, $what leave open: $learned", ({ seen, learned }) => {
  const discovery = new Discovery();
  for (const exchange of seen) learnTooLarge(discovery, exchange);
  const results = resultsOf(discovery);
  expect(results.flatMap(({ covers }) => covers)).toEqual(learned);
  expect(results.every(({ verdict }) => verdict === "inconclusive")).toBe(true);
});
