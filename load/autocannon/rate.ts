import { bodyOf } from "../../client/parsed-body.ts";
import { withoutTrailingSlash } from "../../client/endpoint-address.ts";
import type { JobClient } from "../../client/job-client.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { pathOf } from "../../openapi/operations.ts";
import type { OperationName, Tier } from "../../openapi/operations.ts";
import type { LoadSupervision } from "../meter.ts";
import type { ProbeRequest } from "../probe/request.ts";
import { echo, requestOf } from "../requirements/requests.ts";
import type { EngineFinding } from "../result.ts";
import { costOf, neededOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";
import { fireBurst } from "./burst.ts";
import type { Burst, BurstRequest } from "./burst.ts";
import { attemptsMax, judgeBursts, classifyBurst, noBursts } from "./judge-bursts.ts";
import type { Attempt } from "./judge-bursts.ts";

export interface AutocannonRun extends LoadSupervision {
  /** A client of an endpoint whose windows are empty, on a real clock; called once for each attempt. */
  readonly freshClient: () => Promise<JobClient>;
}

/** The target did not give the jobs that a burst needs, which says nothing of its limit. */
class NotPrepared extends Error {
  override readonly name = "NotPrepared";
}

const connectionsMax = 50;

const burstTimeLimitMs = 10_000;

/**
 * Sends a burst of one more than the limit and judges what came back. Where nothing was refused a
 * second one follows at once; where the edge of a window may have come between, all is repeated.
 */
export async function runAutocannonRate(tier: Tier, run: AutocannonRun): Promise<EngineFinding> {
  try {
    return judgeBursts(tier, await attemptsOf(tier, run));
  } catch (error) {
    if (error instanceof NotPrepared) return noBursts(tier, error.message);
    throw error;
  }
}

/** The most bursts that a tier gets: two for each attempt. */
export const burstsMax = 2 * attemptsMax;

/** What some bursts of a tier cost a target; one burst is usual. */
export function burstCost({ operation, limit }: Tier, bursts = 1): LoadCost {
  const count = bursts * (limit + 1);
  const attempts = Math.ceil(bursts / 2);
  return costOf(
    operation,
    count,
    operation === "cancel" ? attempts * jobsToCancel(limit) : attempts,
  );
}

/** Enough for two bursts. For each connection autocannon builds a first request that it does not send. */
function jobsToCancel(limit: number): number {
  return 2 * (limit + 1 + connectionsMax);
}

async function attemptsOf(tier: Tier, run: AutocannonRun): Promise<[Attempt, ...Attempt[]]> {
  const attempts: [Attempt, ...Attempt[]] = [await attempt(tier, run)];
  while (attempts.length < attemptsMax && run.signal?.aborted !== true) {
    const last = attempts.at(-1) ?? attempts[0];
    if (classifyBurst(tier, last) !== "odd") break;
    if (run.meter?.whyTooMuch?.(neededOf(burstCost(tier, 2))) !== undefined) break;
    attempts.push(await attempt(tier, run));
  }
  return attempts;
}

async function attempt(tier: Tier, run: AutocannonRun): Promise<Attempt> {
  const { freshClient, signal, meter } = run;
  const client = await freshClient();
  const amount = tier.limit + 1;
  const connections = Math.min(connectionsMax, tier.cap ?? connectionsMax);
  // For each connection autocannon builds a first request that it does not send.
  const request = await burstRequest(tier.operation, client, 2 * (amount + connections));
  const origin = new URL(client.options.baseUrl).origin;
  const fire = (): Promise<Burst> =>
    fireBurst({
      rules: client.options.transport.rules,
      origin,
      request,
      amount,
      connections,
      timeLimitMs: burstTimeLimitMs,
      signal,
      meter,
    });
  const first = await fire();
  return first.accepted === first.sent ? [first, await fire()] : [first];
}

/** The probe's request of the operation, as a burst sends it: for a job of its own each time where there are several. */
async function burstRequest(
  operation: OperationName,
  client: JobClient,
  count: number,
): Promise<BurstRequest> {
  const { baseUrl, apiKey = "" } = client.options;
  const addressee = { ...client.options, apiKey };
  const base = withoutTrailingSlash(new URL(baseUrl).pathname);
  const pathIn = ({ url }: ProbeRequest): string => `${base}${url.slice(baseUrl.length)}`;
  const plain = requestOf(addressee, operation, { path: pathOf(operation, "{jobId}").slice(1) });
  const pathShown = pathIn(plain);
  const jobs = await jobsFor(operation, client, count);
  const paths = jobs.map((jobId) => pathIn(requestOf(addressee, operation, { jobId })));
  let next = -1;
  const nextPath = (): string => {
    next += 1;
    return paths[next % paths.length] ?? pathShown;
  };
  const { method, headers, body } = plain;
  const path = paths.length > 1 ? nextPath : (paths[0] ?? pathShown);
  return { method, path, pathShown, headers, body };
}

/** A cancelled job need not accept another cancel: each request gets one of its own. */
async function jobsFor(
  operation: OperationName,
  client: JobClient,
  requests: number,
): Promise<readonly string[]> {
  if (operation === "cancel") return busyJobs(client, requests);
  if (operation === "status") return submit(client, { input: echo }, 1);
  if (operation === "stream") {
    return submit(client, { input: { op: "stream", count: 1, intervalMs: 1 } }, 1);
  }
  return [];
}

const busy = { op: "sleep", ms: 600_000 } as const;
/** A burst is over by then; the next that needs workers comes after a silence of two windows. */
const burstMs = 20_000;

/** Submits jobs to cancel. They live long enough for the burst; those left over free the workers soon after. */
async function busyJobs(client: JobClient, count: number): Promise<readonly string[]> {
  const beganMs = performance.now();
  const [first = ""] = await submit(client, { input: busy, policy: livingFor(2 * burstMs) }, 1);
  const allMs = (performance.now() - beganMs) * count;
  const policy = livingFor(burstMs + 2 * Math.ceil(allMs));
  return [first, ...(await submit(client, { input: busy, policy }, count - 1))];
}

function livingFor(ms: number): { readonly ttl: number; readonly executionTimeout: number } {
  return { ttl: ms, executionTimeout: ms };
}

async function submit(
  client: JobClient,
  submission: object,
  count: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const { answer } = await client.run(submission);
    const parsed = answer === undefined ? undefined : bodyOf(answer);
    if (parsed?.ok !== true || !validators.RunAnswer(parsed.value)) {
      throw new NotPrepared(`run gave no job before the burst: ${answer?.status ?? "no answer"}`);
    }
    ids.push(parsed.value.id);
  }
  return ids;
}
