import { Redactor } from "../client/redactor.ts";
import { learnKeptWorkers } from "./discovery/kept-workers.ts";
import type { TestEndpoint } from "./endpoint/test-endpoint.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import { Inconclusive } from "./outcome.ts";
import { isFinal, readRecord } from "./record.ts";
import type { Session } from "./session.ts";

/** What is done with an endpoint before any check. */
export interface BeforeChecks {
  /** The number of the endpoint. */
  readonly at: number;
  /** How long it takes on a real clock, at most, in milliseconds. */
  readonly forMs: number;
  readonly stop: AbortSignal | undefined;
}

/** Acts on an endpoint that nobody else uses meanwhile. What is exchanged is evidence of no check. */
export async function onEndpoint<T>(
  session: Session,
  { at, forMs, stop }: BeforeChecks,
  act: (endpoint: TestEndpoint, redactor: Redactor) => Promise<T>,
): Promise<T> {
  const budget = session.budgetFor(forMs, stop);
  const header = { name: "preflight", exclusive: true, endpointNumber: at };
  const lease = session.leaseFor(header, { isLong: false, checkMs: 0 }, budget.signal);
  const redactor = new Redactor(session.redactor);
  const learns = !session.virtual && session.target.discovers !== false;
  try {
    await lease.acquire();
    const endpoint = await session.endpoint(
      {},
      {
        redactor,
        onExchange: (exchange) => {
          if (learns) learnKeptWorkers(session.discovery, exchange);
        },
        onControl: ignored,
        onEndpoint: ignored,
        check: "preflight",
        checkMs: 0,
        lease,
        insists: false,
        budget,
      },
    );
    const result = await act(endpoint, redactor);
    await endpoint.release();
    return result;
  } catch (error) {
    throw budget.reason === undefined ? error : new Inconclusive(budget.reason);
  } finally {
    lease.release();
    budget.end();
  }
}

function ignored(): void {
  return undefined;
}

/** A worker that takes a minute to start is waited for: this, and what any job is that has not begun, in milliseconds. */
const startMsMax = 40_000;
/** How much longer a wait for a job may take than it was asked to, in milliseconds. */
const slackMs = 30_000;

/**
 * Runs one quick job, so that a worker which has to start first has done so before anything is judged, and so that it is
 * known how long that takes.
 * @param withinMs how long anything may take that is done, in milliseconds
 */
export async function startWorker(
  session: Session,
  withinMs: number,
  stop: AbortSignal | undefined,
): Promise<void> {
  const beganMs = monotonicNowMs();
  const waitMs = Math.min(startMsMax, withinMs);
  const before: BeforeChecks = { at: 0, forMs: waitMs + slackMs, stop };
  try {
    await onEndpoint(session, before, async ({ api, time, jobs }) => {
      const submitted = readRecord(await api.run({ input: jobs.quick("the first") }));
      if (!submitted.ok) return;
      const { id } = submitted.body;
      await time.until(
        async () => readRecord(await api.status(id)),
        (read) => !read.ok || isFinal(read.body),
        waitMs,
      );
    });
  } finally {
    session.bound.passedLate(monotonicNowMs() - beganMs);
  }
}
