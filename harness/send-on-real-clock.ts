import { setTimeout as sleep } from "node:timers/promises";

import { isSubmission } from "../openapi/operations.ts";
import type { Check } from "./check.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { oneConnectionId } from "./discovery/connections.ts";
import { oneJobId } from "./discovery/one-job.ts";
import { isRefusal } from "./endpoint/send-at-pace.ts";
import type { EndpointLease } from "./endpoint/endpoint-lease.ts";
import type { Jobs } from "./inputs/jobs.ts";
import type { SendRequest } from "./new-jobs.ts";
import { Unsupported } from "./outcome.ts";
import { waitMsIn } from "../client/job-client.ts";
import { timeoutsIgnored, ttlIgnored } from "./discovery/ignored-limits.ts";
import { runWaits, runsyncHolds } from "./discovery/waits.ts";
import { faultOfBody } from "./discovery/unanswered-bodies.ts";
import { executionTimeoutOf, ttlOf, workMsOfSubmission } from "./inputs/conformance-jobs.ts";

/** A quick job may take so much longer, in milliseconds, until another is taken. */
const graceMs = 400;
const firstPauseMs = 25;

/** The checks as they have to run where the target does one thing at a time: each by itself. */
export function aloneWhereOneJob(
  checks: readonly Check[],
  discovery: Pick<Discovery, "knows">,
): readonly Check[] {
  if (!discovery.knows(oneJobId) && !discovery.knows(oneConnectionId)) return checks;
  return checks.map((check) =>
    check.observe === undefined ? { ...check, exclusive: true } : check,
  );
}

interface SendingSession {
  readonly discovery: Pick<Discovery, "knows">;
  readonly jobs: Pick<Jobs, "quickMs">;
}

/** Sends as `send` does on a clock that is everybody's: nothing that would be in vain, by what was learned. */
export function sendOnRealClock(
  send: SendRequest,
  session: SendingSession,
  lease: Pick<EndpointLease, "isStalled" | "unfinished">,
): SendRequest {
  return withoutVainWaits(oneJobAtATime(send, session, lease), session, lease);
}

/**
 * Sends as `send` does. Where the target takes no job while another is unfinished, a submission that is refused waits for
 * a job of its own check to end.
 * @throws Unsupported where that job goes on
 */
export function oneJobAtATime(
  send: SendRequest,
  { discovery, jobs }: SendingSession,
  lease: Pick<EndpointLease, "isStalled" | "unfinished">,
): SendRequest {
  let isEnded = false;
  /** Of a runsync that waits it is not known yet which job it has. */
  let underWay = 0;
  // Its other submissions are not sent any more: nobody would end their jobs.
  const end = (): Unsupported => {
    isEnded = true;
    return new Unsupported("it needs a job beside an unfinished one", oneJobId);
  };
  return async (request, context) => {
    const isOne = isSubmission(context.operation) && discovery.knows(oneJobId);
    if (!isOne) return send(request, context);
    if (isEnded || lease.isStalled) throw end();
    underWay += 1;
    try {
      let result = await send(request, context);
      // A check that sets its own time-out judges by itself how soon it is answered.
      const withinMs = context.hasOwnTimeout ? 0 : jobs.quickMs + graceMs;
      for (let ms = firstPauseMs; ms < withinMs && isRefusal(result.answer); ms *= 2) {
        await sleep(ms, undefined, { signal: request.signal });
        if (isEnded) throw end();
        result = await send(request, context);
      }
      if (isRefusal(result.answer) && (lease.unfinished.length > 0 || underWay > 1)) throw end();
      return result;
    } finally {
      underWay -= 1;
    }
  };
}

/** A job may work for so long beyond its wait, and its answer is still awaited, in milliseconds. */
const bearableMs = 5000;

/**
 * Sends as `send` does, but nothing that would be waited for in vain. Where runsync holds its answers until the job has
 * ended: no runsync whose job waits while the workers are stalled, or works for long; where run does, no run of such a job
 * either. Where no executionTimeout ends a job, or no ttl: no job that would have to be ended by one. No body to which no
 * answer comes.
 * @throws Unsupported in place of sending it
 */
export function withoutVainWaits(
  send: SendRequest,
  { discovery }: { readonly discovery: Pick<Discovery, "knows"> },
  lease: Pick<EndpointLease, "isStalled">,
): SendRequest {
  return async (request, context) => {
    const { operation } = context;
    if (isSubmission(operation)) demandEnd(discovery, request.body);
    const held = isSubmission(operation) ? holding[operation] : undefined;
    // A check that sets its own time-out judges the wait itself.
    if (held !== undefined && !context.hasOwnTimeout && discovery.knows(held.cause)) {
      const outlasts = workMsOfSubmission(request.body) > held.waitMs(request.url) + bearableMs;
      if (lease.isStalled || outlasts) {
        throw new Unsupported(`${operation} would answer only when the job has ended`, held.cause);
      }
    }
    return send(request, context);
  };
}

/** @throws Unsupported where neither an answer to a submission nor the end of its job would come */
function demandEnd(discovery: Pick<Discovery, "knows">, body: string | Buffer | undefined): void {
  if (discovery.knows(timeoutsIgnored) && outlivesItsTimeout(body)) {
    throw new Unsupported("no executionTimeout would end the job", timeoutsIgnored);
  }
  if (discovery.knows(ttlIgnored) && outlivesItsTtl(body)) {
    throw new Unsupported("no ttl would end the job", ttlIgnored);
  }
  const fault = faultOfBody(body);
  if (fault !== undefined && discovery.knows(fault.causeId)) {
    throw new Unsupported(`no answer comes to ${fault.what}`, fault.causeId);
  }
}

/** The causes by which an operation holds its answer until its job has ended, and how long it may. */
const holding = {
  run: { cause: runWaits, waitMs: () => 0 },
  runsync: { cause: runsyncHolds, waitMs: waitMsIn },
};

function outlivesItsTtl(body: string | Buffer | undefined): boolean {
  const ttlMs = ttlOf(body);
  if (ttlMs === undefined || workMsOfSubmission(body) <= ttlMs) return false;
  return (executionTimeoutOf(body) ?? Infinity) > ttlMs;
}

function outlivesItsTimeout(body: string | Buffer | undefined): boolean {
  const timeoutMs = executionTimeoutOf(body);
  return timeoutMs !== undefined && workMsOfSubmission(body) > timeoutMs;
}
