import { expect, onTestFinished, test } from "vitest";

import { Answer, monotonicNowMs } from "../client/index.ts";
import type { TransportResult } from "../client/index.ts";
import type { Outage } from "../reports/model.ts";
import { TargetWatch } from "./target-watch.ts";

const call = { request: "GET /v2/e/health", check: "health/answers" };

function answered(sentAtMs: number): TransportResult {
  const answer = new Answer(200, {}, "");
  return { answer, failure: undefined, sentAtMs, answeredAtMs: monotonicNowMs() };
}

function refused(sentAtMs: number): TransportResult {
  const failure = { kind: "refused", message: "connect ECONNREFUSED" } as const;
  return { answer: undefined, failure, sentAtMs, answeredAtMs: monotonicNowMs() };
}

type Probe = () => TransportResult;

function watchOf(outages: Outage[], probe: Probe = () => answered(monotonicNowMs())): TargetWatch {
  const watch = new TargetWatch({
    timeoutMs: 1000,
    probe: async () => Promise.resolve(probe()),
    onGone: () => undefined,
    onBack: (outage) => outages.push(outage),
    startedAtMs: monotonicNowMs(),
  });
  onTestFinished(() => watch.close());
  return watch;
}

test.each([
  { when: "after the last answer", laterMs: 1, outages: 1 },
  { when: "before the last answer, though it is told after it", laterMs: -1000, outages: 0 },
])("a connection refused $when is $outages outages", async ({ laterMs, outages }) => {
  const seen: Outage[] = [];
  const watch = watchOf(seen);
  watch.note(answered(monotonicNowMs()));
  const answeredAtMs = monotonicNowMs();
  watch.note(refused(answeredAtMs + laterMs));
  await expect(watch.isThere(call, answeredAtMs + 1)).resolves.toBe(true);
  expect(seen).toHaveLength(outages);
});

test("an answer that was on its way when the target went does not end the outage", async () => {
  const seen: Outage[] = [];
  const begunAtMs = monotonicNowMs();
  const probes: Probe[] = [
    () => {
      watch.note(answered(begunAtMs));
      return refused(monotonicNowMs());
    },
    () => refused(monotonicNowMs()),
  ];
  const later: string[] = [];
  const watch = watchOf(seen, () => {
    const probe = probes.shift();
    later.push(probe === undefined ? "answered" : "refused");
    return probe?.() ?? answered(monotonicNowMs());
  });
  await expect(watch.isThere(call, monotonicNowMs())).resolves.toBe(true);
  expect(later).toEqual(["refused", "refused", "answered"]);
  expect(seen).toHaveLength(1);
});
