import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers } from "./answers.ts";
import { refilledIn } from "./turns.ts";
import { isOffered } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { tierOf, windowMs } from "../../openapi/operations.ts";
import type { Tally } from "./tally.ts";

const { limit: base } = tierOf("status");
const allowance = 50;
const workersBelow = 20;
const workersAbove = 50;
/** The number of workers whose allowance equals the base: one worker more or fewer tells their maximum from a sum. */
const crossing = base / allowance;

/** Whether the limiter frees places before its window has ended: if it refills, more than the limit may be accepted. */
type Kind = "exact" | "refills";

interface Judging {
  readonly findings: LoadFindings;
  readonly kind: Kind;
}

/** A comparison; it becomes a finding only once the edge of a window cannot explain it. */
interface Comparison {
  readonly at: string;
  readonly expected: string;
  readonly got: string;
  readonly sent: Tally;
}

function limitOf(workers: number): number {
  return Math.max(base, workers * allowance);
}

/** Sends a few more requests than a rested limit allows. */
async function exhaust(endpoint: LoadEndpoint, workers: number): Promise<Exhausted> {
  const beganMs = endpoint.nowMs;
  const sent = await endpoint.send("status", limitOf(workers) + overshoot);
  requireAnswers(sent);
  return { workers, sent, tookMs: endpoint.nowMs - beganMs };
}

interface Exhausted {
  readonly workers: number;
  readonly sent: Tally;
  readonly tookMs: number;
}

function compared({ workers, sent, tookMs }: Exhausted, kind: Kind): Comparison {
  const limit = limitOf(workers);
  const room = kind === "refills" ? refilledIn(tookMs, limit) : 0;
  const isRight = sent.accepted >= limit && sent.accepted <= limit + room;
  const at = `status with ${workers} workers busy`;
  const expected = `${limit} accepted`;
  return { at, expected, got: isRight ? expected : `${sent.accepted} accepted`, sent };
}

async function atLimit(endpoint: LoadEndpoint, workers: number, kind: Kind): Promise<Comparison> {
  return compared(await exhaust(endpoint, workers), kind);
}

const overshoot = 10;

/** An endpoint whose workers all run a job that outlasts the check, so that all running workers are busy, too. */
async function busyEndpoint(session: LoadSession, workers: number): Promise<LoadEndpoint> {
  const endpoint = await session.endpoint({ workers, allowance });
  await endpoint.submit(workers);
  await expectBusy(endpoint, workers);
  await endpoint.ensureJobToRead();
  return endpoint;
}

const busyTries = 50;

async function expectBusy(endpoint: LoadEndpoint, workers: number): Promise<void> {
  let running = Number.NaN;
  for (let tries = 0; tries < busyTries; tries += 1) {
    ({ running } = (await endpoint.health()).workers);
    if (running === workers) return;
  }
  throw new Inconclusive(`health shows ${running} busy workers instead of ${workers}`);
}

const gapMs = 500;
const gaps = 4;

/**
 * Sends single requests after an exhausted limit: if each is accepted, the limiter frees places with time.
 * If a new window has begun instead, what follows is only less strict.
 */
async function kindOf(endpoint: LoadEndpoint): Promise<Kind> {
  let accepted = 0;
  for (let gap = 0; gap < gaps; gap += 1) {
    await endpoint.wait(gapMs);
    accepted += (await endpoint.send("status", 1)).accepted;
  }
  return accepted === gaps ? "refills" : "exact";
}

/** Adds workers within the window: as many further requests are right as their allowance adds, and no more. */
async function grow(
  endpoint: LoadEndpoint,
  { findings, kind, refusedBefore }: Judging & { readonly refusedBefore: number },
): Promise<{ readonly added: readonly string[]; readonly grown: Comparison }> {
  await endpoint.setWorkers(workersAbove);
  const added = await endpoint.submit(workersAbove - workersBelow);
  await expectBusy(endpoint, workersAbove);
  const more = limitOf(workersAbove) - limitOf(workersBelow);
  const sent = await endpoint.send("status", more + overshoot);
  requireAnswers(sent);
  findings.figures["accepted after growth in the window"] = sent.accepted;
  const at = `status, further requests once ${workersAbove} workers are busy`;
  // A log of all requests counts those that were refused before the growth as well.
  const isFewer =
    kind === "refills" ? sent.accepted < more + overshoot : sent.accepted === more - refusedBefore;
  const expected = `${kind === "refills" ? "about " : ""}${more} accepted`;
  const got = isFewer ? expected : `${sent.accepted} accepted`;
  return { added, grown: { at, expected, got, sent } };
}

/** Removes workers within the window: the lower limit is used up then, and the next request is refused. */
async function shrink(
  endpoint: LoadEndpoint,
  added: readonly string[],
  kind: Kind,
): Promise<Comparison> {
  await endpoint.setWorkers(workersBelow);
  requireAnswers(await endpoint.cancel(added));
  await expectBusy(endpoint, workersBelow);
  const sent = await endpoint.send("status", 1);
  const got = kind === "refills" ? "1 × 429" : sent.words;
  return { at: "status once the workers are fewer", expected: "1 × 429", got, sent };
}

async function growAndShrink(
  session: LoadSession,
  judging: Judging,
): Promise<readonly Comparison[]> {
  const { kind } = judging;
  const endpoint = await busyEndpoint(session, workersBelow);
  const below = await atLimit(endpoint, workersBelow, kind);
  const refusedBefore = below.sent.refused;
  const { added, grown } = await grow(endpoint, { ...judging, refusedBefore });
  await endpoint.waitUntilRested("status");
  const above = await atLimit(endpoint, workersAbove, kind);
  const shrunk = await shrink(endpoint, added, kind);
  await endpoint.waitUntilRested("status");
  return [below, grown, above, shrunk, await atLimit(endpoint, workersBelow, kind)];
}

const triesOnRealClock = 3;

/** On a real clock a new window may begin during a count, so only a difference that recurs each time is one. */
async function judge(
  look: () => Promise<readonly Comparison[]>,
  { session, findings }: { readonly session: LoadSession; readonly findings: LoadFindings },
): Promise<void> {
  const tries = session.virtual ? 1 : triesOnRealClock;
  for (let left = tries; left > 0; left -= 1) {
    const found = await look();
    const isRight = found.every(({ expected, got }) => expected === got);
    if (!isRight && left > 1) continue;
    for (const { at, expected, got, sent } of found) {
      findings.equal(at, expected, got, sent.samples);
    }
    return;
  }
}

/** The operations besides status, by the number of busy workers whose allowance is well above their base limits. */
const others = [
  { workers: workersBelow, operations: ["cancel", "purge-queue", "requests"] },
  { workers: workersAbove, operations: ["run", "runsync", "stream", "openai"] },
] as const;

/** Judges that the allowance holds for every operation, and not only for status, by which it was measured. */
async function judgeOthers(session: LoadSession, findings: LoadFindings): Promise<void> {
  for (const { workers, operations } of others) {
    const endpoint = await busyEndpoint(session, workers);
    // One more is free for jobs that have to end.
    await endpoint.setWorkers(workers + 1);
    for (const operation of operations.filter((each) => isOffered(session, { operation: each }))) {
      const sent = await endpoint.send(operation, tierOf(operation).limit + overshoot);
      requireAnswers(sent);
      const at = `${operation}, requests beyond its base with ${workers} workers busy`;
      const got = sent.refused === 0 ? "none refused" : sent.words;
      findings.equal(at, "none refused", got, sent.samples);
    }
  }
}

async function judgeAll(session: LoadSession, findings: LoadFindings): Promise<void> {
  if (!session.makesEndpoints) {
    throw new Unsupported("an allowance can be set only for a fresh endpoint");
  }
  const first = await busyEndpoint(session, crossing - 1);
  let under: Exhausted | undefined = await exhaust(first, crossing - 1);
  const kind = await kindOf(first);
  findings.figures["kind"] = kind === "exact" ? "exact in its window" : "gives back with time";
  for (const workers of [crossing - 1, crossing + 1]) {
    const look = async (): Promise<readonly Comparison[]> => {
      const exhausted = under ?? (await exhaust(await busyEndpoint(session, workers), workers));
      under = undefined;
      return [compared(exhausted, kind)];
    };
    await judge(look, { session, findings });
  }
  await judgeOthers(session, findings);
  // Skipped where something is wrong already: it takes two windows twice.
  if (findings.mismatches.length > 0) return;
  await judge(() => growAndShrink(session, { findings, kind }), { session, findings });
}

export const dynamicCheck: LoadCheck = {
  name: "rate/dynamic-limit",
  title:
    "20 busy workers give 2000, 50 give 2500, and one worker to either side of 40; other operations have more as well",
  covers: ["RATE-12"],
  needs: ["load", "workers", "allowance"],
  realTimeMs: 2 * 2 * windowMs + 10_000,
  cost: () => ({
    requests: {
      status: 11_200,
      run: 1_370,
      runsync: 2_010,
      stream: 2_010,
      openai: 2_010,
      cancel: 180,
      "purge-queue": 12,
      requests: 20,
      health: 90,
    },
    jobs: { run: 1_370, runsync: 2_010 },
  }),
  run: judgeAll,
};
