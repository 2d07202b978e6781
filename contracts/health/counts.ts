import type { Exchange } from "../../client/index.ts";
import { requireRead, readBody } from "../../harness/index.ts";
import type { EndpointHandle, CheckContext } from "../../harness/index.ts";

const names = [
  "completed",
  "failed",
  "inProgress",
  "inQueue",
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

type Wanted<Name extends keyof HealthCounts> = Pick<HealthCounts, Name> & { readonly at: string };

/** Records a difference unless inQueue and inProgress have grown by these numbers within some time. */
export async function expectJobs(
  context: CheckContext,
  base: HealthCounts,
  {
    at,
    inQueue,
    inProgress: working,
    withinMs,
  }: Wanted<"inQueue" | "inProgress"> & { readonly withinMs?: number },
): Promise<void> {
  const wanted = { inQueue, inProgress: working };
  const seen = difference(await waitForCounts(context, base, wanted, withinMs), base);
  expectCounts(context, seen, { ...wanted, at });
}

/** Records a difference unless inQueue and inProgress are these numbers. */
export function expectCounts(
  { expect }: Pick<CheckContext, "expect">,
  seen: HealthCounts,
  { at, inQueue, inProgress: working }: Wanted<"inQueue" | "inProgress">,
): void {
  expect.equal(seen.inQueue, inQueue, `${at}: inQueue`);
  expect.equal(seen.inProgress, working, `${at}: inProgress`);
}

/** Records a difference unless completed and failed have grown by these numbers. */
export async function expectEnded(
  context: CheckContext,
  base: HealthCounts,
  { at, ...wanted }: Wanted<"completed" | "failed">,
): Promise<void> {
  const seen = difference(await waitForCounts(context, base, wanted), base);
  context.expect.equal(seen.completed, wanted.completed, `${at}: completed`);
  context.expect.equal(seen.failed, wanted.failed, `${at}: failed`);
}

/** Records a difference unless idle and running are these numbers. */
export async function expectWorkers(
  context: CheckContext,
  { at, ...wanted }: Wanted<"idle" | "running">,
): Promise<void> {
  const seen = await waitForCounts(context, undefined, wanted);
  context.expect.equal(seen.idle, wanted.idle, `${at}: idle`);
  context.expect.equal(seen.running, wanted.running, `${at}: running`);
}
