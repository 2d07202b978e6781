import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { faultOfBody, learnUnansweredBodies } from "./unanswered-bodies.ts";

function unanswered(body: string, kind: "unanswered" | "aborted" = "unanswered"): Exchange {
  const exchange = exchangeOf({}, { operation: "run" });
  const failure = { kind, message: "the connection was closed, 3 of 3 times" } as const;
  return { ...exchange, request: { ...exchange.request, body }, answer: undefined, failure };
}

test.each([
  [["{", "x"], [["no-json-unanswered", ["SUBM-03"]]]],
  [["null", "[]"], [["no-object-unanswered", ["SUBM-03"]]]],
  [["{}", '{"webhook":"a"}'], [["no-input-unanswered", ["SUBM-01"]]]],
  [['{"input":1}', '{"input":null}'], [["input-no-object-unanswered", ["SUBM-02"]]]],
  [["{"], []],
  [["{", "null"], []],
  [['{"input":{}}', '{"input":{}}'], []],
])("no answer to %j is told as %j", (bodies, learned) => {
  const discovery = new Discovery();
  discovery.readsJobs = true;
  for (const body of bodies) learnUnansweredBodies(discovery, unanswered(body));
  expect(discovery.learned.map(({ id, breaks }) => [id, breaks])).toEqual(learned);
});

test("nothing is learned of the body where no job was ever read, or the request was broken off", () => {
  const discovery = new Discovery();
  for (const body of ["{", "x"]) learnUnansweredBodies(discovery, unanswered(body));
  discovery.readsJobs = true;
  for (const body of ["{", "x"]) learnUnansweredBodies(discovery, unanswered(body, "aborted"));
  expect(discovery.learned).toEqual([]);
});

test("what is longer than a few kilobytes is no matter of its form", () => {
  expect(faultOfBody("x".repeat(5000))).toBeUndefined();
});
