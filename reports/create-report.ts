import { catalogueIdentities, idsThatJudge, requirements } from "../openapi/requirements.ts";
import type { Judged } from "../openapi/profiles.ts";
import type { Requirement, RequirementId } from "../openapi/requirements.ts";
import { boundedBody, boundedLine, cutText } from "./bounded.ts";
import { withCauses } from "./causes.ts";
import type {
  Cause,
  CheckResult,
  Deviation,
  Evidence,
  Fact,
  LoadResult,
  Mismatch,
  Outage,
  Report,
  ReportCheck,
  ReportRequirement,
  ReportTarget,
  TargetGone,
} from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { deviationsIn } from "./deviations.ts";
import { aggregateLoad } from "./load/series.ts";
import { easiestReason, noCheckReason } from "./not-run.ts";
import { compareText } from "./groups.ts";
import { differenceText } from "./sentence.ts";
import { boundedTimelines } from "./timeline-bounds.ts";
import { totalsOf } from "./profiles.ts";
import { requirementVerdict } from "./verdicts.ts";

/** The name of the specification's page. */
const specificationName = "queue-based serverless job API, v2";

export interface ReportInput {
  readonly toolVersion: string;
  readonly nodeVersion?: string | undefined;
  readonly command: string;
  readonly seed: number;
  readonly startedAt: Date | string;
  readonly durationMs: number;
  readonly interrupted?: boolean | undefined;
  readonly targetGone?: TargetGone | undefined;
  readonly outages?: readonly Outage[] | undefined;
  /** What the run learned of the target before it judged. */
  readonly facts?: readonly Fact[] | undefined;
  /** Requirements that may stay undecided (--allow-inconclusive). */
  readonly allowed?: readonly RequirementId[] | undefined;
  readonly target: ReportTarget;
  readonly dialect?: string | undefined;
  readonly settings?: Report["settings"];
  /** Whose catalogues the report holds, in this order; default the servers'. */
  readonly judged?: readonly [Judged, ...Judged[]] | undefined;
  readonly results: readonly CheckResult[];
  /** Why a requirement that no result covers was not run. */
  readonly notRunReason?: ((id: RequirementId) => string) | undefined;
  readonly load?: readonly LoadResult[] | undefined;
  /** The number of requests that load sent, by operation. */
  readonly sent?: Report["sent"];
  readonly cleanedUp?: Report["cleanedUp"];
  /** The figures of a worker that was judged. */
  readonly worker?: Report["worker"];
}

/**
 * Makes a report of what checks found. It holds every requirement of its catalogues, in order, judged by its checks
 * (docs/read-a-report.md#verdicts). The order of the results does not matter.
 */
export function createReport(input: ReportInput): Report {
  const resultsById = groupByRequirement(withUniqueNames(input.results));
  const missing = input.notRunReason ?? (() => noCheckReason);
  const deviations = deviationsIn(input.results);
  const { facts = [], judged: [first, ...others] = ["server"] } = input;
  const judged = [first, ...others].flatMap(idsThatJudge).map((id) =>
    requirementEntry(id, resultsById.get(id) ?? [], {
      missing,
      isAllowed: input.allowed?.includes(id) ?? false,
      deviations: deviations.filter(({ requirement }) => requirement === id),
    }),
  );

  const { requirements: entries, causes } = withCauses(judged, facts);

  return {
    schema: "queueproof-report/1",
    tool: toolOf(input),
    specification: { name: specificationName, ...catalogueIdentities[first] },
    command: input.command,
    seed: input.seed,
    startedAt: new Date(input.startedAt).toISOString(),
    durationMs: input.durationMs,
    ...(input.interrupted === true && { interrupted: true }),
    ...absencesOf(input),
    ...(input.dialect !== undefined && { dialect: input.dialect }),
    target: input.target,
    ...(input.settings !== undefined && { settings: input.settings }),
    ...totalsOf(entries),
    deviations,
    ...(facts.length > 0 && { learned: facts.map((fact) => learnedOf(fact, causes)) }),
    ...(causes.length > 0 && { causes: causes.map(boundedCause) }),
    requirements: entries,
    load: aggregateLoad(input.load ?? []),
    ...figuresOf(input),
  };
}

/** What some commands count or measure. */
function figuresOf({ sent, cleanedUp, worker }: ReportInput): Partial<Report> {
  const load = {
    ...(sent !== undefined && { sent }),
    ...(cleanedUp !== undefined && { cleanedUp }),
  };
  return { ...load, ...(worker !== undefined && { worker }) };
}

function toolOf({ toolVersion: version, nodeVersion: node }: ReportInput): Report["tool"] {
  return { name: "queueproof", version, ...(node !== undefined && { node }) };
}

function learnedOf(
  { id, topic, text, adapted }: Fact,
  causes: readonly Cause[],
): NonNullable<Report["learned"]>[number] {
  return {
    topic,
    text: boundedLine(text),
    ...(causes.some((cause) => cause.id === id) && { cause: id }),
    ...(adapted !== undefined && { adapted }),
  };
}

function boundedCause({ text, evidence, ...rest }: Cause): Cause {
  return { ...rest, text: boundedLine(text), evidence: evidence.map(boundedEvidence) };
}

/** The times in which the target answered nothing, for a while or for good. */
function absencesOf({
  targetGone,
  outages = [],
}: ReportInput): Pick<Report, "targetGone" | "outages"> {
  const bounded = outages.map((outage) => ({ ...outage, request: boundedLine(outage.request) }));
  return {
    ...(targetGone !== undefined && {
      targetGone: {
        ...targetGone,
        request: boundedLine(targetGone.request),
        reason: boundedLine(targetGone.reason),
      },
    }),
    ...(bounded.length > 0 && { outages: bounded }),
  };
}

/**
 * Makes names unique. Checks are counted by name, so two checks of one name would hide each other. Only results of one
 * check for different requirements share a name.
 */
function withUniqueNames(results: readonly CheckResult[]): readonly CheckResult[] {
  const taken = new Set<string>();
  return results.map((result) => {
    const keyOf = (name: string): string => JSON.stringify([name, result.covers]);
    let { name } = result;
    for (let copy = 2; taken.has(keyOf(name)); copy += 1) name = `${result.name} (${copy})`;
    taken.add(keyOf(name));
    return { ...result, name };
  });
}

function groupByRequirement(
  results: readonly CheckResult[],
): ReadonlyMap<RequirementId, readonly CheckResult[]> {
  const groups = new Map<RequirementId, CheckResult[]>();
  for (const result of results.toSorted((a, b) => compareText(a.name, b.name))) {
    for (const id of touchedBy(result)) groups.set(id, [...(groups.get(id) ?? []), result]);
  }
  return groups;
}

/** The requirements a check covers, and others it found something about: any check can find a broken schema. */
function touchedBy({ covers, mismatches = [], readings = [] }: CheckResult): Set<RequirementId> {
  return new Set([...covers, ...[...mismatches, ...readings].map((each) => each.requirement)]);
}

interface RequirementContext {
  readonly missing: (id: RequirementId) => string;
  readonly isAllowed: boolean;
  readonly deviations: readonly Deviation[];
}

function requirementEntry(
  id: RequirementId,
  results: readonly CheckResult[],
  { missing, isAllowed, deviations }: RequirementContext,
): ReportRequirement {
  const { area, level, text, section, needs, accepts }: Requirement = requirements[id];
  const checks = results.map((result) => checkEntry(result, id));
  const verdict = requirementVerdict(checks);
  const reason = reasonOf(checks, verdict) ?? (checks.length === 0 ? missing(id) : undefined);
  const reading = level === "open" ? readingOf(id, results) : undefined;
  return {
    id,
    area,
    level,
    text,
    section,
    ...(needs.length > 0 && { needs }),
    ...(accepts.length > 0 && { accepts }),
    verdict,
    ...withoutPass(verdict, { reason, isAllowed }),
    ...(reading !== undefined && { reading }),
    ...observedIn(results),
    ...(deviations.length > 0 && { deviations }),
    checks,
  };
}

/** How often traffic showed it, by operation. */
function observedIn(results: readonly CheckResult[]): Pick<ReportRequirement, "observed"> {
  const observed = results.map((result) => result.observed).find((each) => each !== undefined);
  return observed === undefined ? {} : { observed };
}

/** The reason for a verdict. For not-run, it is the reason that takes the least to remove. */
function reasonOf(checks: readonly ReportCheck[], verdict: Verdict): string | undefined {
  const telling = checks.filter((check) => check.verdict === verdict);
  const reasons = telling.flatMap(({ reason = [] }) => reason);
  return verdict === "not-run" ? easiestReason(reasons) : reasons[0];
}

/** The members that only a requirement that did not pass has. */
function withoutPass(
  verdict: Verdict,
  { reason, isAllowed }: { readonly reason: string | undefined; readonly isAllowed: boolean },
): Pick<ReportRequirement, "reason" | "allowed"> {
  if (verdict === "pass") return {};
  const allowed = verdict === "inconclusive" && isAllowed;
  return { reason: reason ?? fallbackReason[verdict], ...(allowed && { allowed }) };
}

const fallbackReason: Readonly<Record<Verdict, string>> = {
  pass: "",
  fail: "a check failed and gave no reason",
  inconclusive: "a check could not decide and gave no reason",
  "not-run": "its checks were not run and gave no reason",
};

/** The reading that was seen. Where places differ, it lists each reading with the places that show it. */
function readingOf(id: RequirementId, results: readonly CheckResult[]): string | undefined {
  const places = new Map<string, Set<string>>();
  for (const { requirement, reading, at } of results.flatMap(({ readings = [] }) => readings)) {
    if (requirement !== id) continue;
    const known = places.get(boundedLine(reading)) ?? new Set();
    places.set(boundedLine(reading), at === undefined ? known : known.add(boundedLine(at)));
  }
  if (places.size <= 1) return [...places.keys()][0];
  return [...places]
    .map(([reading, at]) =>
      at.size === 0 ? reading : `${reading} (${[...at].toSorted(compareText).join(", ")})`,
    )
    .toSorted(compareText)
    .join("; ");
}

function checkEntry(result: CheckResult, id: RequirementId): ReportCheck {
  const { name, title, verdict, durationMs, reason, steps, printed, script, timelines } = result;
  const titled = title === undefined ? {} : { title };
  const attempts = boundedAttempts(result);
  const elsewhere = failedElsewhere(result, id);
  if (elsewhere !== undefined) {
    return {
      name,
      ...titled,
      verdict: "inconclusive",
      durationMs,
      reason: `its check failed on ${elsewhere}, so this was not decided`,
      ...attempts,
      evidence: [],
    };
  }

  const mismatches = (result.mismatches ?? [])
    .filter((each) => each.requirement === id)
    .map(boundedMismatch);
  const why = reason ?? mismatches.map(differenceText)[0];
  return {
    name,
    ...titled,
    verdict,
    durationMs,
    ...(why !== undefined && { reason: boundedLine(why) }),
    ...(result.cause !== undefined && { cause: result.cause }),
    ...attempts,
    ...(mismatches.length > 0 && { mismatches }),
    ...linesOf("steps", steps),
    ...linesOf("printed", printed),
    ...(script !== undefined && cutText(script) === script && { script }),
    evidence: result.evidence.map(boundedEvidence),
    ...(timelines !== undefined && { timelines: boundedTimelines(timelines) }),
  };
}

function linesOf(name: "steps" | "printed", lines?: readonly string[]): Partial<ReportCheck> {
  return lines === undefined ? {} : { [name]: lines.map(boundedLine) };
}

/** The earlier attempts, and the requests that had to be sent again. */
function boundedAttempts({
  attempts = [],
  dropped = [],
}: CheckResult): Pick<ReportCheck, "attempts" | "dropped"> {
  return {
    ...(attempts.length > 0 && {
      attempts: attempts.map((each) => ({ ...each, reason: boundedLine(each.reason) })),
    }),
    ...(dropped.length > 0 && {
      dropped: dropped.map(({ request, error, times }) => ({
        request: boundedLine(request),
        error: boundedLine(error),
        times,
      })),
    }),
  };
}

/**
 * Returns the requirement that a failed check failed on, where it is not `id`. A check names the requirement of each
 * mismatch; it may have stopped before it reached the other requirements that it covers.
 */
function failedElsewhere(result: CheckResult, id: RequirementId): RequirementId | undefined {
  const failed = result.verdict === "fail" ? (result.mismatches ?? []) : [];
  return failed.some(({ requirement }) => requirement === id) ? undefined : failed[0]?.requirement;
}

function boundedMismatch({ requirement, at, expected, got, exchange }: Mismatch): Mismatch {
  return {
    requirement,
    at: boundedLine(at),
    expected: boundedLine(expected),
    got: boundedLine(got),
    ...(exchange !== undefined && { exchange }),
  };
}

function boundedEvidence(each: Evidence): Evidence {
  const { request, response, error, atMs, durationMs, job, curl } = each;
  return {
    request: { ...request, body: boundedBody(request.body) },
    response: response === null ? null : { ...response, body: boundedBody(response.body) },
    ...(error !== undefined && { error }),
    atMs,
    ...(durationMs !== undefined && { durationMs }),
    ...(job !== undefined && { job: boundedLine(job) }),
    // A command that was cut must not be run.
    curl: cutText(curl) === curl ? curl : "",
  };
}
