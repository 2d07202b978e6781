import type {
  Deviation,
  Report,
  ReportCheck,
  ReportRequirement,
  ReportTarget,
  Cause,
} from "./model.ts";
import type { Verdict } from "./verdict.ts";
import { compareText } from "./groups.ts";
import { totalsOf } from "./profiles.ts";
import { requirementVerdict, verdictOfChecks } from "./verdicts.ts";

/**
 * Merges reports of shards of a run, or of contract and load. A check that is in several reports counts with its
 * strongest verdict (fail, inconclusive, pass, not-run), so one shard may decide what another did not run. Facts about
 * the runs that differ are listed side by side.
 */
export function mergeReports(first: Report, ...others: readonly Report[]): Report {
  const reports = [first, ...others];
  const ids = distinct(reports.flatMap(({ requirements }) => requirements.map(({ id }) => id)));
  const requirements = ids.map((id) =>
    mergeRequirement(reports.flatMap((each) => each.requirements.filter((row) => row.id === id))),
  );
  const dialects = distinct(reports.flatMap(({ dialect = [] }) => dialect));
  const targetGone = reports.find((each) => each.targetGone !== undefined)?.targetGone;
  const outages = reports.flatMap((each) => each.outages ?? []);
  const stopped = reports.some(({ interrupted }) => interrupted === true);
  const { causes: _causes, learned: _learned, ...kept } = first;
  return {
    ...kept,
    ...mergeCauses(reports, requirements),
    command: distinct(reports.map(({ command }) => command)).join(", "),
    startedAt: reports.map(({ startedAt }) => startedAt).toSorted()[0] ?? first.startedAt,
    durationMs: reports.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ...(stopped && { interrupted: true }),
    ...(targetGone !== undefined && { targetGone }),
    ...(outages.length > 0 && { outages }),
    ...(dialects.length > 0 && { dialect: dialects.join(", ") }),
    deviations: requirements.flatMap(({ deviations = [] }) => deviations),
    target: mergeTargets(reports.map(({ target }) => target)),
    ...totalsOf(requirements),
    requirements,
    load: reports.flatMap(({ load }) => load),
    ...sentTogether(reports),
  };
}

/** Adds up what the loads of all reports sent. */
function sentTogether(reports: readonly Report[]): Pick<Report, "sent"> {
  const all = reports.flatMap(({ sent = [] }) => sent);
  if (all.length === 0) return {};
  const added = (of: "requests" | "jobs"): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const [operation, count] of all.flatMap((each) => Object.entries(each[of])))
      sums[operation] = (sums[operation] ?? 0) + count;
    return sums;
  };
  return { sent: { requests: added("requests"), jobs: added("jobs") } };
}

/** Lists different values side by side. How to reach the target again is kept only where all reports agree. */
function mergeTargets(targets: readonly ReportTarget[]): ReportTarget {
  const [first, ...others] = targets;
  const isEmbedded = targets.every(({ embedded }) => embedded === true);
  const controlUrl = others.every((each) => each.controlUrl === first?.controlUrl)
    ? first?.controlUrl
    : undefined;
  const listed = (texts: readonly string[]): string =>
    distinct(texts.filter((text) => text !== "")).join(", ");
  return {
    baseUrl: listed(targets.map(({ baseUrl }) => baseUrl)),
    endpointId: listed(targets.map(({ endpointId }) => endpointId)),
    capabilities: distinct(targets.flatMap(({ capabilities }) => capabilities)),
    ...(isEmbedded && { embedded: true }),
    ...(controlUrl !== undefined && { controlUrl }),
  };
}

/** Removes load scenarios from a report: their figures, and the checks of the same names. */
export function withoutLoad(report: Report, scenarios: ReadonlySet<string>): Report {
  const requirements = report.requirements.map((row) => {
    const checks = row.checks.filter(({ name }) => !scenarios.has(name));
    if (checks.length === row.checks.length) return row;
    const { reason: _reason, allowed, known, ...kept } = row;
    const verdict = requirementVerdict(checks);
    const reason = checks.find((each) => each.verdict === verdict)?.reason;
    const isAllowed = verdict === "inconclusive" && allowed === true;
    return {
      ...kept,
      verdict,
      ...(reason !== undefined && { reason }),
      ...(isAllowed && { allowed }),
      ...(verdict === "fail" && known !== undefined && { known }),
      checks,
    };
  });
  const load = report.load.filter(({ scenario }) => !scenarios.has(scenario));
  return { ...report, ...totalsOf(requirements), requirements, load };
}

function mergeRequirement(rows: readonly ReportRequirement[]): ReportRequirement {
  const checks = mergeChecks(rows.flatMap((row) => row.checks));
  const verdict = checks.length === 0 ? verdictOfChecks(rows) : requirementVerdict(checks);
  // A row with checks knows the reason better than a row that only says that none ran.
  const telling = rows.toSorted((a, b) => Math.sign(b.checks.length) - Math.sign(a.checks.length));
  const { reason, ...most } = strongest(telling, verdict);
  const { reading: _reading, deviations: _own, allowed: _allowed, known, ...kept } = most;
  const deviations = mergeDeviations(rows);
  const readings = distinct(rows.flatMap(({ reading = [] }) => reading));
  return {
    ...kept,
    verdict,
    ...(reason !== undefined && verdict !== "pass" && { reason }),
    ...(verdict === "inconclusive" && mayStayOpen(rows) && { allowed: true }),
    ...(verdict === "fail" && known !== undefined && isKnownInAll(rows) && { known }),
    ...(readings.length > 0 && { reading: readings.join("; ") }),
    ...(deviations.length > 0 && { deviations }),
    checks,
  };
}

/** Whether every report in which it is inconclusive allows that. */
function mayStayOpen(rows: readonly ReportRequirement[]): boolean {
  return rows.every(({ verdict, allowed }) => verdict !== "inconclusive" || allowed === true);
}

/** Whether every report in which it fails expects that. */
function isKnownInAll(rows: readonly ReportRequirement[]): boolean {
  return rows.every(({ verdict, known }) => verdict !== "fail" || known !== undefined);
}

/** Keeps each deviation once, with its first example. */
function mergeDeviations(rows: readonly ReportRequirement[]): readonly Deviation[] {
  const all = rows.flatMap(({ deviations = [] }) => deviations);
  return all.filter(({ what }, at) => all.findIndex((each) => each.what === what) === at);
}

function mergeChecks(checks: readonly ReportCheck[]): readonly ReportCheck[] {
  const names = distinct(checks.map(({ name }) => name)).toSorted(compareText);
  return names.map((name) => {
    const same = checks.filter((each) => each.name === name);
    return strongest(same, verdictOfChecks(same));
  });
}

/** Returns the first row with that verdict. */
function strongest<Row extends { readonly verdict: Verdict }>(
  rows: readonly Row[],
  verdict: Verdict,
): Row {
  const found = rows.find((row) => row.verdict === verdict) ?? rows[0];
  if (found === undefined) throw new RangeError("nothing to merge");
  return found;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** The causes of merged reports, each by the first report that tells it, with what it stands for in the merged rows. */
function mergeCauses(
  reports: readonly Report[],
  requirements: readonly ReportRequirement[],
): Pick<Report, "causes" | "learned"> {
  const told = new Map<string, Cause>();
  for (const cause of reports.flatMap(({ causes = [] }) => causes)) {
    if (!told.has(cause.id)) told.set(cause.id, cause);
  }
  const causes = [...told.values()]
    .map((cause) => Object.assign({}, cause, countedIn(requirements, cause.id)))
    .filter(({ checks }) => checks > 0);
  const facts = reports.flatMap(({ learned = [] }) => learned);
  const learned = facts.filter(
    ({ text }, at) => facts.findIndex((each) => each.text === text) === at,
  );
  return {
    ...(learned.length > 0 && { learned }),
    ...(causes.length > 0 && { causes }),
  };
}

function countedIn(
  requirements: readonly ReportRequirement[],
  cause: string,
): Pick<Cause, "checks" | "requirements"> {
  const under = requirements.filter(({ checks }) => checks.some((check) => check.cause === cause));
  const names = under.flatMap(({ checks }) =>
    checks.filter((check) => check.cause === cause).map(({ name }) => name),
  );
  return {
    requirements: under.filter(({ verdict }) => verdict !== "pass").map(({ id }) => id),
    checks: new Set(names).size,
  };
}
