import { expect, onTestFinished, test } from "vitest";

import { Answer, monotonicNowMs } from "../client/exchange.ts";
import type { TransportResult } from "../client/exchange.ts";
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

function timedOut(sentAtMs: number): TransportResult {
  const failure = { kind: "timeout", message: "no whole answer" } as const;
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

interface Ended {
  readonly isThere: boolean;
  readonly probes: number;
  readonly gone: readonly string[];
}

/** Probes until the target is gone, or answers the probe of that number. */
async function probeUntil(
  probe: Probe,
  { timeoutMs, lastByteAtMs = () => -Infinity }: { timeoutMs: number; lastByteAtMs?: () => number },
): Promise<Ended> {
  const gone: string[] = [];
  let probes = 0;
  const watch = new TargetWatch({
    timeoutMs,
    probe: async () => {
      probes += 1;
      return Promise.resolve(probe());
    },
    onGone: ({ reason }) => gone.push(reason),
    onBack: () => undefined,
    lastByteAtMs,
    startedAtMs: monotonicNowMs(),
  });
  onTestFinished(() => watch.close());
  const isThere = await watch.isThere(call, monotonicNowMs());
  return { isThere, probes, gone };
}

test("a silent target is gone once nothing of ours is sent any more", async () => {
  let sendsLeft = 5;
  const { isThere, probes, gone } = await probeUntil(() => timedOut(monotonicNowMs()), {
    timeoutMs: 100,
    lastByteAtMs: () => (sendsLeft-- > 0 ? monotonicNowMs() : -Infinity),
  });
  expect(isThere).toBe(false);
  expect(probes).toBeGreaterThan(1);
  expect(gone).toHaveLength(1);
});

test("a line that is busy with what is sent is no outage, however late its answers", async () => {
  const outages: Outage[] = [];
  const blocked: unknown[] = [];
  const lost = Array<Probe>(5).fill(() => timedOut(monotonicNowMs()));
  const watch = new TargetWatch({
    timeoutMs: 1000,
    probe: async () => Promise.resolve(lost.pop()?.() ?? answered(monotonicNowMs())),
    onGone: () => undefined,
    onBack: (outage) => outages.push(outage),
    onBlocked: (by) => blocked.push(by),
    lastByteAtMs: () => monotonicNowMs() + 1,
    startedAtMs: monotonicNowMs(),
  });
  onTestFinished(() => watch.close());
  await expect(watch.isThere(call, monotonicNowMs())).resolves.toBe(true);
  expect(outages).toEqual([]);
  expect(blocked).toEqual([]);
});

test("a call under which nothing was answered is named as what blocked the target", async () => {
  const blocked: unknown[] = [];
  const lost = Array<Probe>(1).fill(() => timedOut(monotonicNowMs()));
  const watch = new TargetWatch({
    timeoutMs: 5000,
    probe: async () => Promise.resolve(lost.pop()?.() ?? answered(monotonicNowMs())),
    onGone: () => undefined,
    onBack: () => undefined,
    onBlocked: (by) => blocked.push(by),
    startedAtMs: monotonicNowMs(),
  });
  onTestFinished(() => watch.close());
  const cancel = { request: "POST /v2/e/cancel/j", check: "c", operation: "cancel" } as const;
  await expect(watch.isThere(cancel, monotonicNowMs())).resolves.toBe(true);
  expect(blocked).toEqual([cancel]);
});
