import type { Exchange } from "../../client/exchange.ts";
import { requireRead } from "../../harness/jobs/fixtures.ts";
import { readBody } from "../../harness/read.ts";
import type { EndpointHandle } from "../../harness/endpoint/clock-modes.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const names = [
  "inQueue",
  "inProgress",
  "completed",
  "failed",
  "retried",
  "idle",
  "running",
] as const;

/** The seven counts of one answer in one object. No two of them have the same name. */
export type HealthCounts = Readonly<Record<(typeof names)[number], number>>;

/**
 * Reads what health counts now.
 * @throws Inconclusive where it does not answer as it should
 */
export async function readCounts({ api }: EndpointHandle): Promise<HealthCounts> {
  return countsIn(await api.health());
}

/** @throws Inconclusive where the answer is not as it should be */
export function countsIn(exchange: Exchange): HealthCounts {
  const read = readBody(exchange, "HealthAnswer");
  const { jobs, workers } = requireRead(read, "could not read the counts: health answered");
  const { completed, failed, inProgress, inQueue, retried } = jobs;
  const { idle, running } = workers;
  return { completed, failed, inProgress, inQueue, retried, idle, running };
}

/** How much the counts have changed: on an endpoint that others used before they do not start at 0. */
export function difference(now: HealthCounts, base: HealthCounts): HealthCounts {
  return {
    completed: now.completed - base.completed,
    failed: now.failed - base.failed,
    inProgress: now.inProgress - base.inProgress,
    inQueue: now.inQueue - base.inQueue,
    retried: now.retried - base.retried,
    idle: now.idle - base.idle,
    running: now.running - base.running,
  };
}

/**
 * Waits until the counts are as wanted, measured from `base` where there is one, for at most `withinMs` of the endpoint's
 * time; on a real clock it may take some seconds longer.
 */
export async function waitForCounts(
  handle: EndpointHandle,
  base: HealthCounts | undefined,
  wanted: Partial<HealthCounts>,
  withinMs = 0,
): Promise<HealthCounts> {
  return handle.time.until(
    async () => readCounts(handle),
    (now) => {
      const seen = base === undefined ? now : difference(now, base);
      return names.every((name) => wanted[name] === undefined || wanted[name] === seen[name]);
    },
    withinMs,
  );
}

/** Records a difference for each wanted count that is another. */
export function expectCounts(
  { expect }: Pick<CheckContext, "expect">,
  seen: HealthCounts,
  wanted: Partial<HealthCounts>,
  at: string,
): void {
  for (const name of names) {
    if (wanted[name] !== undefined) expect.equal(seen[name], wanted[name], `${at}: ${name}`);
  }
}

/** Records a difference for each count that has not grown as wanted; it shows both readings. */
export function expectCountGrowth(
  { expect }: Pick<CheckContext, "expect">,
  { base, now }: { readonly base: HealthCounts; readonly now: HealthCounts },
  wanted: Partial<HealthCounts>,
  at: string,
): void {
  const seen = difference(now, base);
  for (const name of names) {
    if (wanted[name] === undefined) continue;
    const readings = `${base[name]} at first, ${now[name]} now`;
    expect.equal(seen[name], wanted[name], `${at}: growth of ${name} (${readings})`);
  }
}

/**
 * Returns a function that records a difference unless the counts become as wanted, measured from `base` where there is
 * one, within some of the endpoint's time.
 */
export function expectingCounts(
  context: CheckContext,
  base?: HealthCounts,
): (wanted: Partial<HealthCounts>, at: string, withinMs?: number) => Promise<void> {
  return async (wanted, at, withinMs) => {
    const now = await waitForCounts(context, base, wanted, withinMs);
    if (base === undefined) expectCounts(context, now, wanted, at);
    else expectCountGrowth(context, { base, now }, wanted, at);
  };
}
