import type { OperationName } from "../../openapi/operations.ts";
import { unlessInconclusive } from "./answers.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { isOffered } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tierOf, tiers } from "../../openapi/operations.ts";
import type { Tally } from "./tally.ts";
import type { LimitTrace } from "./trace.ts";

/** What was seen while an operation was exhausted. */
export interface Isolation {
  /** One request of every other operation; its answer may come after the next steps of the trace. */
  readonly others: Promise<ReadonlyMap<OperationName, Tally>>;
  /** Whether the operation refused a request before and after each of those. */
  readonly isRefusingAmongOthers: boolean;
  /** One request of the same operation on another endpoint; undefined where there is no other. */
  readonly elsewhere: Tally | undefined;
}

/** Tries what a limit must not touch: other operations, and another endpoint. */
export async function probeIsolation(
  session: LoadSession,
  endpoint: LoadEndpoint,
  trace: LimitTrace,
): Promise<Isolation> {
  const { operation } = trace.tier;
  const tried: Promise<readonly [OperationName, Tally] | undefined>[] = [];
  let isRefusing = true;
  const stillRefuses = async (): Promise<void> => {
    if (!endpoint.access.isVirtual && !(await trace.refusesOneMore())) isRefusing = false;
  };
  for (const { operation: other } of tiers.filter((tier) => isOffered(session, tier))) {
    if (other === operation) continue;
    // Where no endpoint was made with enough workers, the jobs to cancel wait in the queue: a purge would remove them.
    const empties = other === "purge-queue" && operation === "cancel";
    if (empties && !session.offers("endpoints")) continue;
    await stillRefuses();
    const attempt = tryOther(endpoint, other);
    tried.push(attempt);
    // Where all workers are busy, runsync answers only when its wait is over: the trace must not wait for that.
    const isWaiting = other === "runsync" && !endpoint.access.isVirtual;
    if (!isWaiting) await attempt;
  }
  await stillRefuses();
  const elsewhere = await tryElsewhere(session, operation);
  const others = Promise.all(tried).then((all) => new Map(all.filter((one) => one !== undefined)));
  // Whoever awaits them later gets the error.
  others.catch(() => undefined);
  return { others, isRefusingAmongOthers: isRefusing, elsewhere };
}

async function tryOther(
  endpoint: LoadEndpoint,
  other: OperationName,
): Promise<readonly [OperationName, Tally] | undefined> {
  const { usage, access } = endpoint;
  if (usage.reserved.has(other)) return undefined;
  const isFree = access.isFresh
    ? endpoint.isRested(other)
    : usage.recent(other) < tierOf(other).limit;
  // Beside other traces, an operation that is used up itself shows nothing.
  if (!isFree && !access.isFresh) return undefined;
  const one = await unlessInconclusive(sendOne(endpoint, other));
  // A refusal for earlier requests of the other operation itself says nothing of a shared limit.
  const tells = one !== undefined && (isFree || one.refused === 0);
  return tells ? [other, one] : undefined;
}

/** Sends one request; where jobs to cancel would keep the few workers busy, a cancel names a job that has ended. */
async function sendOne(endpoint: LoadEndpoint, other: OperationName): Promise<Tally> {
  const isOfEnded = other === "cancel" && !endpoint.access.isFresh && !endpoint.hasJobToCancel;
  return isOfEnded ? endpoint.cancel([await endpoint.ensureEndedJob()]) : endpoint.send(other, 1);
}

async function tryElsewhere(
  session: LoadSession,
  operation: OperationName,
): Promise<Tally | undefined> {
  if (!session.makesEndpoints) return undefined;
  const endpoint = await session.endpoint();
  return endpoint.send(operation, 1);
}
