import { expect, test } from "vitest";

import { metricLine, pointLine } from "../../test/load/points-of-jobs.ts";
import { LiveAnswers } from "./live-answers.ts";

const sent = pointLine("requests_sent", 1, { op: "run" });
const over = (status: string, op = "run"): string => pointLine("http_reqs", 1, { op, status });

test("requests are told of when they are sent and when they are over, in pieces of any length", () => {
  const written = [
    metricLine("http_reqs", "counter", { op: "run" }),
    sent,
    sent,
    over("200"),
    pointLine("http_req_duration", 3, { op: "run", status: "200" }),
    over("503"),
    sent,
    "an unknown line",
    over("0"),
    "",
  ].join("\n");

  for (const length of [1, 7, 64, written.length]) {
    const told: (string | number)[] = [];
    const answers = listening(told);
    for (let at = 0; at < written.length; at += length)
      answers.read(written.slice(at, at + length));
    answers.end();
    expect(told).toEqual(["sent", "sent", 200, 503, "sent", 0]);
  }
});

test("what a script does not announce is told of at its end, and what never ends has no answer", () => {
  const told: (string | number)[] = [];
  const answers = listening(told);
  answers.read([over("200"), over("204", "control"), sent, ""].join("\n"));
  expect(told).toEqual(["sent", 200, "sent"]);

  answers.end();
  answers.end();
  expect(told).toEqual(["sent", 200, "sent", 0]);
});

function listening(told: (string | number)[]): LiveAnswers {
  return new LiveAnswers({
    sent: () => void told.push("sent"),
    answered: (status) => void told.push(status),
    isThere: async () => Promise.resolve(true),
  });
}
