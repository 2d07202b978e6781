import { askedUnder } from "../../harness/dialects/record-operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import type { Mismatch } from "../../reports/model.ts";
import type { Bounds, RatePhase } from "../../scenarios/rate.ts";
import { engineFinding } from "../result.ts";
import type { EngineFinding, EngineHeader } from "../result.ts";
import { acceptedBounds } from "./accepted-bounds.ts";
import { countOf } from "./summary.ts";
import type { K6Summary, K6Values } from "./summary.ts";

/** The phase's name in the script and in k6's summary. */
export function phaseNameOf({ tier, level }: RatePhase): string {
  return `${tier.operation}-${level}`;
}

export interface RateRun {
  readonly tier: Tier;
  readonly phases: readonly RatePhase[];
  readonly summary: K6Summary | undefined;
  /** Why the run as a whole decides nothing. */
  readonly undecided: string | undefined;
  readonly durationMs: number;
}

/** What the counts of one k6 run say of one tier. */
export function judgeRate(run: RateRun): EngineFinding {
  const { tier, phases, summary, undecided, durationMs } = run;
  const counted =
    summary === undefined
      ? []
      : phases.map((phase) => ({ phase, counts: countsOf(phase, summary) }));
  const refuses = counted.some(({ counts }) => counts.refused > 0);
  return engineFinding("k6", headerOf(tier), {
    durationMs,
    // The counts of a run that broke off are not those of the planned load.
    mismatches:
      undecided === undefined
        ? counted.flatMap((each) => [...faultsOf(each, refuses), ...mismatchesOf(each)])
        : [],
    undecided:
      undecided === undefined
        ? counted.flatMap((each) => [...shortcomingsOf(each), ...doubtsOf(each)])
        : [undecided],
    figures: Object.fromEntries(counted.flatMap(figuresOf)),
  });
}

/** The name, title and requirement of a tier's check. */
export function headerOf({ rate: requirement, operation, limit }: Tier): EngineHeader {
  return {
    name: `load/k6/rate-${operation}`,
    title: `${operation} at constant rates against its limit of ${limit} in 10 s, by k6`,
    requirement,
  };
}

interface Counted {
  readonly phase: RatePhase;
  readonly counts: ReturnType<typeof countsOf>;
}

/** The counts and times of a phase, as the report names them. */
function countsOf(phase: RatePhase, summary: K6Summary) {
  const part = `{phase:${phaseNameOf(phase)}}`;
  const count = (what: string): number => countOf(summary, `requests_${what}${part}`);
  const latenessMsMax = summary.get(`lateness${part}`)?.["max"] ?? 0;
  const durations = summary.get(`http_req_duration${part}`) ?? {};
  return {
    sent: count("sent"),
    accepted: count("accepted"),
    refused: count("refused"),
    faulty: count("faulty"),
    other: count("other"),
    unanswered: count("unanswered"),
    late: count("late"),
    dropped: countOf(summary, `dropped_iterations${part}`),
    "lateness ms max": latenessMsMax,
    "error ms": Math.ceil(latenessMsMax + spreadMs(durations)),
    "latency ms p50": round(durations["med"]),
    "latency ms p99": round(durations["p99"]),
  };
}

/**
 * The target counts a request between its sending and its answer. Time that all answers take moves all requests
 * equally, so only the difference between the slowest and the fastest, in ms, adds to the lateness.
 */
function spreadMs(durations: K6Values): number {
  return Math.max(0, (durations["max"] ?? 0) - (durations["min"] ?? 0));
}

function round(ms = 0): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** What k6 itself left undone. */
function shortcomingsOf({ phase, counts }: Counted): readonly string[] {
  const { sent, unanswered, late, dropped } = counts;
  const at = phaseNameOf(phase);
  const { accepted, refused, faulty, other } = counts;
  const answered = accepted + refused + faulty + other + unanswered;
  const problems: string[] = [];
  if (sent < phase.sent.min || sent > phase.sent.max) {
    const planned = `${phase.sent.min} to ${phase.sent.max} were planned`;
    const drops = dropped > 0 ? `, and it dropped ${dropped}` : "";
    problems.push(`${at}: k6 sent ${sent}, ${planned}${drops}`);
  }
  if (unanswered > 0) problems.push(`${at}: ${unanswered} requests had no answer`);
  if (answered !== sent) problems.push(`${at}: ${sent} sent, but ${answered} counted by answer`);
  if (counts["error ms"] > phase.errorMsMax) {
    const lateness = `up to ${Math.round(counts["lateness ms max"])} ms late (${late} of ${sent} noticeably)`;
    const reach = `with the spread of the answers' times ${counts["error ms"]} ms; ${Math.round(phase.errorMsMax)} ms can be judged`;
    problems.push(`${at}: k6 sent ${lateness}, ${reach}`);
  }
  return problems;
}

function mismatchesOf({ phase, counts }: Counted): readonly Mismatch[] {
  // Counts of a rate that was not kept say nothing of the limit; an unexpected status is a mismatch in any case.
  const isKept = shortcomingsOf({ phase, counts }).length === 0;
  const { rate: requirement, operation, limit } = phase.tier;
  const at = `${operation} at ${phase.requestsPerWindow} in 10 s`;
  const mismatches: Mismatch[] = [];
  if (counts.other > 0) {
    const got = `${counts.other} of ${counts.sent} with another status`;
    mismatches.push({ requirement, at, expected: "only 2xx and 429", got });
  }
  // How a limiter counts a request that the server breaks on is not known.
  if (isKept && counts.faulty === 0 && !isWithin(counts.accepted, acceptedOf({ phase, counts }))) {
    const { min, max } = acceptedOf({ phase, counts });
    const wanted = min === max ? `${min}` : `${min} to ${max}`;
    const expected = `${wanted} of ${counts.sent} accepted (limit ${limit})`;
    const got = `${counts.accepted} accepted, ${counts.refused} refused`;
    mismatches.push({ requirement, at, expected, got });
  }
  return mismatches;
}

/** Answers that break the operation's own contract, or the limit's where a target never refuses by 429. */
function faultsOf({ phase, counts }: Counted, refuses: boolean): readonly Mismatch[] {
  if (counts.faulty === 0) return [];
  const { operation, rate } = phase.tier;
  return [
    {
      requirement: refuses ? askedUnder[operation] : rate,
      at: `${operation} at ${phase.requestsPerWindow} in 10 s`,
      expected: "only 2xx and 429",
      got: `${counts.faulty} of ${counts.sent} with 404 or 500`,
    },
  ];
}

function acceptedOf({ phase, counts }: Counted): Bounds {
  return acceptedBounds(phase, { sent: counts.sent, errorMs: counts["error ms"] });
}

/** Why answers that break the operation's own contract leave its limit open; none where it is clear all the same. */
function doubtsOf({ phase, counts }: Counted): readonly string[] {
  const { accepted, faulty, sent } = counts;
  if (faulty === 0 || isWithin(accepted + faulty, acceptedOf({ phase, counts }))) return [];
  return [`${phaseNameOf(phase)}: ${faulty} of ${sent} were answered 404 or 500`];
}

function isWithin(count: number, { min, max }: Bounds): boolean {
  return min <= count && count <= max;
}

function figuresOf({ phase, counts }: Counted): readonly (readonly [string, number])[] {
  return Object.entries(counts).map(([what, count]) => [`${phase.level} ${what}`, count]);
}
