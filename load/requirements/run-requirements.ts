import { ControlError } from "../../client/index.ts";
import type { RequirementId, Tier } from "../../openapi/index.ts";
import type {
  CheckAttempt,
  Evidence,
  LimiterIdentification,
  LoadSamples,
  Mismatch,
  Reading,
} from "../../reports/model.ts";
import type { LoadMeter } from "../meter.ts";
import { triesAgainMax, withEarlier } from "../tries.ts";
import { Undecidable, Inconclusive } from "./undecided.ts";
import type { LoadCheck, Verdict } from "./check.ts";
import { loadChecks } from "./checks.ts";
import { expectTraces } from "./exhaustion.ts";
import { Findings } from "./findings.ts";
import type { Figures } from "./findings.ts";
import { stopReason } from "../stop-reason.ts";
import { LoadSession } from "./load-session.ts";
import type { LoadTarget } from "./load-session.ts";
import { tiers } from "../../openapi/index.ts";

/** What one check says of one requirement, in the form that reports take. */
export interface LoadCheckResult {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string;
  /** The tries before this one, each of which could not decide. */
  readonly attempts?: readonly CheckAttempt[];
  readonly readings: readonly Reading[];
  readonly mismatches: readonly Mismatch[];
  readonly deviations: readonly [];
  readonly evidence: readonly Evidence[];
  /** The harness itself broke. */
  readonly harnessError?: string;
}

/** The figures of one check, as a report's `load` holds them. */
export interface LoadFigures {
  readonly scenario: string;
  readonly engine: "probe";
  readonly figures: Readonly<Figures>;
  readonly requirements: readonly RequirementId[];
  readonly samples?: readonly LoadSamples[];
  readonly limiter?: LimiterIdentification;
}

export interface RequirementsRun {
  readonly results: readonly LoadCheckResult[];
  readonly load: readonly LoadFigures[];
  /** How many requests went out. */
  readonly sent: number;
}

export interface RequirementsOptions {
  readonly target: LoadTarget;
  readonly requirements: ReadonlySet<RequirementId>;
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  readonly signal?: AbortSignal;
  readonly meter?: LoadMeter;
  readonly onStarted?: (check: LoadCheck) => void;
  readonly onFinished?: (result: LoadCheckResult) => void;
}

/**
 * Decides the requirements of rate and concurrency one after the other, so that none disturbs another.
 * What could not be decided is tried again, up to twice, and nothing that was recorded before is used.
 */
export async function runRequirements(options: RequirementsOptions): Promise<RequirementsRun> {
  let run = await runOnce(options);
  for (let tries = 0; tries < triesAgainMax; tries += 1) {
    const undecided = run.results.filter(({ verdict }) => verdict === "inconclusive");
    if (undecided.length === 0 || options.signal?.aborted === true) break;
    const names = new Set(undecided.map(({ name }) => name));
    const again = await runOnce(options, names);
    run = together(run, again, options.signal);
  }
  return run;
}

/** The results of a later run in the place of the earlier ones, unless a stop cut them off. */
function together(
  earlier: RequirementsRun,
  later: RequirementsRun,
  signal: AbortSignal | undefined,
): RequirementsRun {
  const isCut = ({ verdict }: LoadCheckResult): boolean =>
    signal?.aborted === true && (verdict === "inconclusive" || verdict === "not-run");
  const next = new Map(
    later.results.filter((result) => !isCut(result)).map((result) => [result.name, result]),
  );
  return {
    results: earlier.results.map((before) => {
      const after = next.get(before.name);
      return after === undefined ? before : withEarlier(before, after);
    }),
    load: [
      ...earlier.load.filter(({ scenario }) => !next.has(scenario)),
      ...later.load.filter(({ scenario }) => next.has(scenario)),
    ],
    sent: earlier.sent + later.sent,
  };
}

/** Runs the checks of the requirements, or those of these names alone, once. */
async function runOnce(
  options: RequirementsOptions,
  names?: ReadonlySet<string>,
): Promise<RequirementsRun> {
  const { target, requirements, signal } = options;
  const session = new LoadSession(target, signal, options.meter);
  const checks = loadChecks.filter(
    ({ covers, name }) => requirements.has(covers) && names?.has(name) !== false,
  );
  expectTraces(session, tracedTiers(new Set(checks.map(({ covers }) => covers))));
  const results: LoadCheckResult[] = [];
  const load: LoadFigures[] = [];
  try {
    for (const check of checks) {
      const obstacle = obstacleOf(check, session, options);
      if (obstacle === undefined) options.onStarted?.(check);
      const { result, findings } =
        obstacle === undefined ? await runCheck(check, session) : notRun(check, obstacle);
      results.push(result);
      options.onFinished?.(result);
      if (Object.keys(findings.figures).length > 0) load.push(figuresOf(check, findings));
    }
    return { results, load, sent: session.sent };
  } finally {
    await session.close();
  }
}

/** Requirements that look at the limit of every operation. */
const ofEveryLimit = ["RATE-09", "RATE-10", "RATE-11"] as const;

function tracedTiers(requirements: ReadonlySet<RequirementId>): readonly Tier[] {
  const isEvery = ofEveryLimit.some((id) => requirements.has(id));
  return tiers.filter(
    ({ rate, operation }) =>
      isEvery || requirements.has(rate) || (operation === "cancel" && requirements.has("RATE-14")),
  );
}

function obstacleOf(
  { needs, realTimeMs }: LoadCheck,
  session: LoadSession,
  { timeBudgetMs, signal }: RequirementsOptions,
): string | undefined {
  if (signal?.aborted === true) return `${stopReason(signal)} before it was decided`;
  const missing = needs.filter((capability) => !session.offers(capability));
  if (missing.length > 0) return `the target does not offer ${missing.join(", ")}`;
  if (session.offers("clock") || realTimeMs <= timeBudgetMs) return undefined;
  return `it takes ${String(realTimeMs / 1_000)} s on a real clock, more than the time budget of ${String(timeBudgetMs / 1_000)} s`;
}

interface Ended {
  readonly result: LoadCheckResult;
  readonly findings: Findings;
}

function figuresOf(
  { name, covers }: LoadCheck,
  { figures, samples, limiter }: Findings,
): LoadFigures {
  return {
    scenario: name,
    engine: "probe",
    figures,
    requirements: [covers],
    ...(samples.length === 0 ? {} : { samples }),
    ...(limiter === undefined ? {} : { limiter }),
  };
}

function notRun(check: LoadCheck, reason: string): Ended {
  const findings = new Findings(check.covers);
  return {
    result: resultOf(check, findings, { verdict: "not-run", reason, beganMs: 0 }),
    findings,
  };
}

async function runCheck(check: LoadCheck, session: LoadSession): Promise<Ended> {
  const findings = new Findings(check.covers);
  const beganMs = performance.now();
  const sentBefore = session.sent;
  const outcome = await outcomeOf(check, session, findings);
  await session.tidy();
  findings.figures["requests"] = session.sent - sentBefore;
  return { result: resultOf(check, findings, { ...outcome, beganMs }), findings };
}

interface Outcome {
  readonly verdict: Verdict;
  readonly reason?: string;
  readonly harnessError?: string;
}

async function outcomeOf(
  check: LoadCheck,
  session: LoadSession,
  findings: Findings,
): Promise<Outcome> {
  try {
    await check.run(session, findings);
    if (session.signal?.aborted === true) return cutOff(session.signal);
  } catch (error) {
    if (session.signal?.aborted === true) return cutOff(session.signal);
    // A difference that was seen before stays one.
    if (findings.mismatches.length > 0) return failed(findings);
    return withoutVerdict(error);
  }
  if (findings.mismatches.length > 0) return failed(findings);
  if (findings.comparisons > 0) return { verdict: "pass" };
  const reason = "the check compared nothing";
  return { verdict: "inconclusive", reason, harnessError: reason };
}

/** What it means that a check ended early. */
function withoutVerdict(error: unknown): Outcome {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof Undecidable) return { verdict: "not-run", reason };
  const isKnown = error instanceof Inconclusive || error instanceof ControlError;
  return { verdict: "inconclusive", reason, ...(isKnown ? {} : { harnessError: reason }) };
}

/** What a check saw while its requests were broken off is no finding. */
function cutOff(signal: AbortSignal): Outcome {
  return { verdict: "inconclusive", reason: `${stopReason(signal)} while it was decided` };
}

function failed({ mismatches }: Findings): Outcome {
  const [first] = mismatches;
  const reason = `${first?.at ?? ""}: expected ${first?.expected ?? ""}, got ${first?.got ?? ""}`;
  return { verdict: "fail", reason };
}

function resultOf(
  { name, title, covers }: LoadCheck,
  { readings, mismatches, evidence }: Findings,
  { beganMs, ...outcome }: Outcome & { readonly beganMs: number },
): LoadCheckResult {
  const durationMs = beganMs === 0 ? 0 : Math.round(performance.now() - beganMs);
  const found = { readings, mismatches, deviations: [], evidence } as const;
  return { name, title, covers: [covers], durationMs, ...outcome, ...found };
}
