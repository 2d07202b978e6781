import { checksThatCaught } from "./evidence-file.ts";
import { isUndecided, killMatrix, unprovedChecks } from "./kill-matrix.ts";
import type { FaultTrial } from "./proof.ts";
import type { SuiteRun, SuiteScope, Subject } from "./suite-job.ts";
import { tryEach } from "./suite-pool.ts";

const oneByOne = { processes: 1, suitesEach: 1 } as const;

/** The order to try a fault, with the checks that are run first where they are named. */
export function faultSubject(
  { name }: FaultTrial["fault"],
  aim: SuiteScope,
  checks?: readonly string[],
): Subject {
  return { kind: "fault", name, aim, ...(checks !== undefined && { checks }) };
}

/** Runs once more, one at a time, the trials that a busy machine left undecided. */
export async function withUndecidedAgain(
  trials: readonly FaultTrial[],
  aim: SuiteScope,
): Promise<readonly FaultTrial[]> {
  const again = await tryEach(
    trials.filter((trial) => isUndecided(trial)),
    ({ fault }) => faultSubject(fault, aim),
    oneByOne,
  );
  const runs = new Map(again.map(({ item, run }) => [item, run]));
  return trials.map((trial) => ({ ...trial, run: runs.get(trial) ?? trial.run }));
}

/**
 * Runs the checks that caught nothing against every fault that the evidence says they caught, one at a time: a race that one
 * fault makes does not show each time.
 */
export async function withUnprovedAgain(
  trials: readonly FaultTrial[],
  { kept, checkNames }: { readonly kept: string; readonly checkNames: readonly string[] },
): Promise<readonly FaultTrial[]> {
  const unproved = new Set(unprovedChecks(killMatrix(trials, checkNames)));
  const caughtBy = checksThatCaught(kept);
  const namesFor = ({ fault }: FaultTrial): readonly string[] =>
    (caughtBy.get(fault.name) ?? []).filter((name) => unproved.has(name));
  const again = await tryEach(
    trials.filter((trial) => namesFor(trial).length > 0),
    (trial) => faultSubject(trial.fault, "named", namesFor(trial)),
    oneByOne,
  );
  const runs = new Map(again.map(({ item, run }) => [item, joined(item.run, run)]));
  return trials.map((trial) => ({ ...trial, run: runs.get(trial) ?? trial.run }));
}

function joined(one: SuiteRun, other: SuiteRun): SuiteRun {
  return { ...one, ...other, findings: [...one.findings, ...other.findings] };
}
