export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the environment names a server of the user's own; an empty variable still names one. */
export function targetIsNamed(environment: Environment): boolean {
  const names = ["QUEUEPROOF_BASE_URL", "QUEUEPROOF_URL", "QUEUEPROOF_CONTROL"];
  return names.some((name) => environment[name] !== undefined);
}

/** The environment less what is meant for queueproof. */
export function withoutSettings(environment: Environment): Record<string, string | undefined> {
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith("QUEUEPROOF_")));
}

/** How many unit tests passed and failed, from vitest's JSON report. */
export function unitCounts(results: unknown, exitCode: number): Counts {
  const { numPassedTests, numFailedTests } = numbersOf(results);
  return honest({ passed: numPassedTests ?? 0, failed: numFailedTests ?? 0 }, exitCode);
}

/** How many checks passed and failed, from report.json. */
export function contractCounts(report: unknown, exitCode: number): Counts {
  const { pass, fail } = numbersOf(member(member(report, "summary"), "checks"));
  return honest({ passed: pass ?? 0, failed: fail ?? 0 }, exitCode);
}

/** A stage that ended badly without naming a failure (it broke, it could not load) counts as one. */
function honest({ passed, failed }: Counts, exitCode: number): Counts {
  return { passed, failed: exitCode === 0 ? failed : Math.max(failed, 1) };
}

/** The exit code that says most: the first that is not 0. */
export function worst(exitCodes: readonly number[]): number {
  return exitCodes.find((code) => code !== 0) ?? 0;
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map<string, unknown>(Object.entries(value)).get(name);
}

function numbersOf(value: unknown): Readonly<Record<string, number | undefined>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "number"));
}
