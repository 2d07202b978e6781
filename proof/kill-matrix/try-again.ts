import type { Fault } from "../../reference/index.ts";
import { checksThatCaught } from "./kill-matrix-page.ts";
import { isUndecided, killMatrix, unprovedChecks } from "./kill-matrix.ts";
import type { Trial } from "./kill-matrix.ts";
import type { SuiteRun, SuiteScope, Subject } from "./suite-job.ts";
import { runSuites } from "./suite-pool.ts";

/** The order to try a fault, with the checks that are run first where they are named. */
export function faultSubject(
  { name }: Fault,
  aim: SuiteScope,
  checks?: readonly string[],
): Subject {
  return { kind: "fault", name, aim, ...(checks !== undefined && { checks }) };
}

/** Runs once more, one at a time, the trials that a busy machine left undecided. */
export async function withUndecidedAgain(
  trials: readonly Trial[],
  aim: SuiteScope,
): Promise<readonly Trial[]> {
  const undecided = trials.filter((trial) => isUndecided(trial));
  const subjects = undecided.map(({ fault }) => faultSubject(fault, aim));
  const runs = await runSuites(subjects, () => undefined, { processes: 1, suitesEach: 1 });
  return trials.map((trial) => {
    const run = runs[undecided.indexOf(trial)];
    return run === undefined ? trial : { ...trial, run };
  });
}

/**
 * Runs the checks that caught nothing against every fault that the page says they caught, one at a time: a race that one
 * fault makes does not show each time.
 */
export async function withUnprovedAgain(
  trials: readonly Trial[],
  { page, checkNames }: { readonly page: string; readonly checkNames: readonly string[] },
): Promise<readonly Trial[]> {
  const unproved = new Set(unprovedChecks(killMatrix(trials, checkNames)));
  const caughtBy = checksThatCaught(page);
  const again = trials.flatMap((trial) => {
    const names = (caughtBy.get(trial.fault.name) ?? []).filter((name) => unproved.has(name));
    return names.length === 0 ? [] : [{ trial, names }];
  });
  const subjects = again.map(({ trial, names }) => faultSubject(trial.fault, "named", names));
  const runs = await runSuites(subjects, () => undefined, { processes: 1, suitesEach: 1 });
  return trials.map((trial) => {
    const run = runs[again.findIndex((each) => each.trial === trial)];
    return run === undefined ? trial : { ...trial, run: joined(trial.run, run) };
  });
}

function joined(one: SuiteRun, other: SuiteRun): SuiteRun {
  return { ...one, ...other, findings: [...one.findings, ...other.findings] };
}
