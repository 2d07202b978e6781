import { Inconclusive } from "../../harness/outcome.ts";
import { likelyKinds } from "../limiters/identify.ts";
import type { Remaining } from "../limiters/identify.ts";
import { kindNamed } from "../limiters/kinds.ts";
import type { LoadCheck } from "./check.ts";
import { exhaustLimit, traceMs } from "./exhaustion.ts";
import type { Exhaustion } from "./exhaustion.ts";
import type { LoadFindings } from "./findings.ts";
import { isStatedWindow, windowTolerance } from "./identified-early.ts";
import { limiterForReport, whyUnsure } from "./judge-limit.ts";
import { requireAnswers } from "./answers.ts";
import { costOf, noCost } from "../sent-load.ts";
import { isOffered } from "./load-session.ts";
import type { LoadSession } from "./load-session.ts";
import { judgeUnjustifiedRefusals, recordExhaustedTrace, recordSteadyTrace } from "./steady.ts";
import { tiers, tierOf, windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { joined } from "./tally.ts";

/** The lowest limit that tells every kind apart. */
const telling = tierOf("cancel");

const kindOfWindow: LoadCheck = {
  name: "rate/kind-of-window",
  title: "The kind of window, from the trace of what it let through",
  covers: ["RATE-14"],
  needs: ["load"],
  usesUp: "cancel",
  realTimeMs: traceMs(telling) + 4_000,
  sharedMs: () => 0,
  // It reads the trace by which the limit of the operation was found.
  cost: () => noCost,
  run: async (session, findings) => {
    const seen = await exhaustLimit(session, telling);
    requireAnswers(...seen.trace.tallies);
    const { best, others, remaining } = seen.identification;
    if (best.kind === "none")
      throw new Inconclusive("cancel was never refused: no limit was found");
    findings.limiter = limiterForReport(telling.operation, seen.identification);
    noteFits(findings, seen);
    if (remaining.length === 0) {
      judgeUnjustifiedRefusals(telling, seen.trace, { seen, findings });
      if (findings.mismatches.length > 0) return;
      const nearest = `nearest is ${best.kind} with ${best.differences} differences`;
      throw new Inconclusive(
        `no model explains the trace: ${nearest}, then ${others[0]?.kind ?? "none"}`,
      );
    }
    const likely = likelyKinds(remaining, { limit: telling.limit, windowMs });
    const unlikely = remaining.filter((one) => !likely.includes(one)).map(({ kind }) => kind);
    if (unlikely.length > 0) findings.figures["only with another limit"] = unlikely.join(", ");
    const specific = likely.filter((one) => !explainsAlmostAll(one));
    const [reading, ...more] = new Set(specific.map(({ kind }) => kindNamed(kind).reading));
    if (reading === undefined || more.length > 0) {
      throw new Inconclusive(`the kind could not be identified: ${whyUnsure(seen)}`);
    }
    findings.addReading(reading, telling.operation);
  },
};

/**
 * Whether the kind would explain almost any trace and was found with no limit in particular: then the limiter may be
 * of a kind that is not known here.
 */
function explainsAlmostAll({ kind, limits: { least, most } }: Remaining): boolean {
  return kindNamed(kind).isLast === true && least < most;
}

function noteFits({ figures }: LoadFindings, { identification }: Exhaustion): void {
  const { best, others, window } = identification;
  for (const { kind, limit, windowMs: lengthMs, differences } of [best, ...others]) {
    const numbers = Number.isFinite(limit) ? `${limit} in ${Math.round(lengthMs)} ms, ` : "";
    figures[kind] = `${numbers}${differences} differences`;
  }
  figures["best"] = best.kind;
  if (window === undefined) return;
  figures["window at least ms"] = Math.round(window.shortestMs);
  figures["window at most ms"] = Math.round(window.longestMs);
}

const lengthOfWindow: LoadCheck = {
  name: "rate/length-of-window",
  title: "The window of every operation is 10 s, and after 20 s of silence requests are accepted",
  covers: ["RATE-09"],
  needs: ["load"],
  usesUp: "cancel",
  realTimeMs: traceMs() + 4_000,
  sharedMs: () => 0,
  cost: () => costOf("cancel", 100),
  run: async (session, findings) => {
    const offered = tiers.filter((each) => isOffered(session, each));
    const undecided: Undecided[] = [];
    const kinds = await kindsOfLargerLimits(session, offered);
    for (const tier of offered) {
      const seen = await exhaustLimit(session, tier);
      judgeSilence(tier, seen, findings);
      const doubt = judgeLength(tier, seen, { kinds, findings });
      if (doubt !== undefined) undecided.push({ tier, seen, doubt });
    }
    if (findings.mismatches.length > 0 || undecided.length === 0) return;
    await judgeFurtherTraces(session, undecided, findings);
    if (findings.mismatches.length > 0) return;
    throw new Inconclusive(
      undecided.map(({ tier, doubt }) => `${tier.operation}: ${doubt}`).join("; "),
    );
  },
};

/** An operation whose trace does not tell the length of its window, and why. */
interface Undecided {
  readonly tier: Tier;
  readonly seen: Exhaustion;
  readonly doubt: string;
}

/** The lowest limits that say anything when requests come one by one, in this order. */
const steadyTiers = ["requests", "cancel"] as const;
/** A lower limit may be used up by the few requests that follow its exhaustion. */
const exhaustedLimitMin = 10;

/** Requests that come slowly tell whether windows end at all, and whether refusals prolong them. */
async function judgeFurtherTraces(
  session: LoadSession,
  undecided: readonly Undecided[],
  findings: LoadFindings,
): Promise<void> {
  const [first] = steadyTiers.flatMap((operation) =>
    undecided.filter(({ tier, seen: { identification } }) => {
      const isUnexplained = identification.remaining.length === 0;
      return tier.operation === operation && isUnexplained;
    }),
  );
  if (first !== undefined) {
    const { tier, seen } = first;
    judgeUnjustifiedRefusals(tier, await recordSteadyTrace(session, tier), { seen, findings });
  }
  for (const { tier, seen } of undecided) {
    if (findings.mismatches.length > 0) return;
    if (tier.limit < exhaustedLimitMin) continue;
    const trace = await recordExhaustedTrace(session, tier);
    judgeUnjustifiedRefusals(tier, trace, { seen, findings });
  }
}

/** Limits under this leave several kinds possible; what the larger ones show counts for them, too. */
const smallLimit = 50;

async function kindsOfLargerLimits(
  session: LoadSession,
  asked: readonly Tier[],
): Promise<ReadonlySet<string>> {
  const kinds = new Set<string>();
  for (const tier of asked.filter(({ limit }) => limit >= smallLimit)) {
    const { identification } = await exhaustLimit(session, tier);
    for (const { kind } of identification.remaining) kinds.add(kind);
  }
  return kinds;
}

function judgeSilence(
  { operation, limit }: Tier,
  { afterSilence, identification }: Exhaustion,
  findings: LoadFindings,
): void {
  requireAnswers(...afterSilence);
  // There are none where an operation that makes jobs was identified early.
  if (afterSilence.length === 0) return;
  if (identification.best.kind === "none") return;
  const at = `${operation}, exhausted, after 20 s of silence`;
  const { accepted, samples, exchanges } = joined(afterSilence);
  const expected = Math.min(limit, exchanges.length);
  const got = accepted >= expected ? expected : accepted;
  findings.equal(at, `${expected} accepted`, `${got} accepted`, samples);
}

interface Judging {
  readonly kinds: ReadonlySet<string>;
  readonly findings: LoadFindings;
}

/** Compares where all explanations of the trace agree, and returns the doubt where they do not. */
function judgeLength(
  { operation, limit }: Tier,
  seen: Exhaustion,
  { kinds, findings }: Judging,
): string | undefined {
  const { best, remaining } = seen.identification;
  if (best.kind === "none") return undefined;
  requireAnswers(...seen.trace.tallies);
  if (remaining.length === 0) return `no model explains its trace, nearest is ${best.kind}`;
  const possible = limit < smallLimit ? ofSmallLimit(remaining, kinds) : remaining;
  const shortest = Math.min(...possible.map(({ windows }) => windows.shortestMs));
  const longest = Math.max(...possible.map(({ windows }) => windows.longestMs));
  const isDeclared = isStatedWindow(shortest) && isStatedWindow(longest);
  if (!isDeclared && possible.some(holdsDeclared)) {
    return `the window is between ${inS(shortest)} and ${inS(longest)}: ${whyUnsure(seen)}`;
  }
  const nearest = seen.identification.best;
  const { keptWindowMs } = kindNamed(nearest.kind);
  const got = isDeclared ? "10 s" : inS(keptWindowMs?.(nearest) ?? nearest.windowMs);
  findings.equal(`${operation}, length of its window`, "10 s", got);
  return undefined;
}

/**
 * Many windows explain the trace of a small limit. Of the kinds that explain it, those that the larger limits show
 * count, where there are any; one that allows the declared window counts with that. A wrong window leaves none.
 */
function ofSmallLimit(
  remaining: readonly Remaining[],
  kinds: ReadonlySet<string>,
): readonly Remaining[] {
  const ofKinds = remaining.filter(({ kind }) => kinds.has(kind));
  const possible = ofKinds.length > 0 ? ofKinds : remaining;
  const declared = { shortestMs: windowMs, longestMs: windowMs };
  return possible.map((one) => ({
    kind: one.kind,
    limits: one.limits,
    windows: holdsDeclared(one) ? declared : one.windows,
  }));
}

function holdsDeclared({ windows: { shortestMs, longestMs } }: Remaining): boolean {
  return (
    shortestMs <= windowMs * (1 + windowTolerance) && longestMs >= windowMs * (1 - windowTolerance)
  );
}

function inS(ms: number): string {
  return `${Number((ms / 1_000).toFixed(2))} s`;
}

export const windowChecks: readonly LoadCheck[] = [lengthOfWindow, kindOfWindow];
