import type { RequirementId } from "../../openapi/requirements.ts";
import type { KeptEvidence } from "./evidence-file.ts";
import type { FaultTrial } from "./proof.ts";
import type { SuiteRun } from "./suite-job.ts";

/** What the suite found of one fault. */
export interface FaultRow {
  readonly name: string;
  readonly breaks: readonly RequirementId[];
  /** The checks that failed one of `breaks`. */
  readonly caughtBy: readonly string[];
  /** Other requirements that failed. */
  readonly also: readonly RequirementId[];
  readonly fate: "killed" | "misnamed" | "survived";
}

/** A check and the faults that it caught under the right name. */
export interface CheckRow {
  readonly name: string;
  readonly provedBy: readonly string[];
}

export interface KillMatrix {
  readonly faults: readonly FaultRow[];
  readonly checks: readonly CheckRow[];
}

/** The matrix of faults and checks, sorted by name. It holds nothing that differs from run to run. */
export function killMatrix(
  trials: readonly FaultTrial[],
  checkNames: readonly string[],
): KillMatrix {
  const faults = trials.map((trial) => faultRow(trial)).toSorted(byName);
  const checks = checkNames.map((name) => ({
    name,
    provedBy: faults.filter(({ caughtBy }) => caughtBy.includes(name)).map((row) => row.name),
  }));
  return { faults, checks: checks.toSorted(byName) };
}

/** The matrix in one line: `200 faults, 200 killed, 0 survived; 250 checks, 250 proved`. */
export function matrixSummary({ faults, checks }: KillMatrix): string {
  const killed = faults.filter(({ fate }) => fate === "killed").length;
  const proved = checks.filter(({ provedBy }) => provedBy.length > 0).length;
  const survived = faults.length - killed;
  return `${faults.length} faults, ${killed} killed, ${survived} survived; ${checks.length} checks, ${proved} proved`;
}

/** The checks that caught each fault. Equal matrices give equal evidence. */
export function evidenceOf({ faults }: KillMatrix): KeptEvidence {
  return Object.fromEntries(faults.map(({ name, caughtBy }) => [name, caughtBy]));
}

/** Whether nothing was found but a check could not decide; on a quieter machine it may. */
export function isUndecided(trial: FaultTrial): boolean {
  const isOpen = trial.run.findings.some(({ verdict }) => verdict === "inconclusive");
  return isOpen && faultRow(trial).fate === "survived";
}

function faultRow({ fault, run }: FaultTrial): FaultRow {
  const { name, breaks } = fault;
  const failures = run.findings.filter(({ verdict }) => verdict === "fail");
  const named = failures.filter(({ requirement }) => breaks.includes(requirement));
  const others = failures.filter(({ requirement }) => !breaks.includes(requirement));
  const missed = others.length > 0 ? "misnamed" : "survived";
  return {
    name,
    breaks: sorted(breaks),
    caughtBy: sorted(named.map(({ check }) => check)),
    also: sorted(others.map(({ requirement }) => requirement)),
    fate: named.length > 0 ? "killed" : missed,
  };
}

/** What keeps the matrix from being a proof, one line each. */
export function problemsOf(matrix: KillMatrix, trials: readonly FaultTrial[]): readonly string[] {
  return [
    ...matrix.faults
      .filter(({ fate }) => fate === "survived")
      .map(({ name, breaks }) => `${name} survived; it breaks ${breaks.join(", ")}`),
    ...matrix.faults
      .filter(({ fate }) => fate === "misnamed")
      .map(
        ({ name, breaks, also }) =>
          `${name} breaks ${breaks.join(", ")} and was caught as ${also.join(", ")} only`,
      ),
    ...unprovedChecks(matrix).map((name) => `no fault proves the check ${name}`),
    ...trials.flatMap(({ fault, run }) => breakdownsOf(run).map((why) => `${fault.name}: ${why}`)),
  ];
}

/** The names of the checks that caught no fault under the right name. */
export function unprovedChecks({ checks }: KillMatrix): readonly string[] {
  return checks.filter(({ provedBy }) => provedBy.length === 0).map(({ name }) => name);
}

/** What is wrong with a run against a server that keeps the specification, one line each. */
export function alarmsOf(run: SuiteRun): readonly string[] {
  const alarms = run.findings
    .filter(({ verdict }) => verdict !== "pass")
    .map(
      ({ check, requirement, verdict, reason }) =>
        `${requirement} ${verdict}, ${check}: ${reason ?? ""}`,
    );
  return [...breakdownsOf(run), ...alarms];
}

/** Failures of the harness itself, which must not happen whatever the server does, one line each. */
function breakdownsOf({ failed, findings }: SuiteRun): readonly string[] {
  const broke = findings.filter((finding) => finding.broke === true);
  return [
    ...(failed === undefined ? [] : [`the suite could not be run: ${failed}`]),
    ...broke.map(({ check, reason }) => `${check} broke the harness: ${reason ?? ""}`),
  ];
}

function sorted<Text extends string>(texts: readonly Text[]): readonly Text[] {
  return [...new Set(texts)].toSorted();
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
