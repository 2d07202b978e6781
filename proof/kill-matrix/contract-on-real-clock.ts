import { faults as allFaults } from "../faults/faults.ts";
import type { Fault } from "../../reference/faults.ts";
import { startBusyLoops } from "../busy-loops.ts";
import { caughtAs } from "./proof.ts";
import type { FaultFate, FaultTrial, Proof } from "./proof.ts";
import { chosen } from "./suite-job.ts";
import type { Subject, SuiteRun } from "./suite-job.ts";
import { tryEach } from "./suite-pool.ts";

/** Clean runs under one condition. All are made at once, since each spends most of its time waiting. */
interface Condition {
  readonly title: string;
  readonly runs: number;
  readonly latencyMs: number;
  /** Whether a busy loop runs on every core meanwhile. */
  readonly isBusy: boolean;
}

const conditions: readonly Condition[] = [
  { title: "at once, on this machine", runs: 4, latencyMs: 0, isBusy: false },
  { title: "50 ms away", runs: 2, latencyMs: 50, isBusy: false },
  { title: "200 ms away", runs: 2, latencyMs: 200, isBusy: false },
  { title: "beside a busy loop on every core", runs: 2, latencyMs: 0, isBusy: true },
];

/** How many evenly chosen faults are tried where none is named; most of them show on a plain server. */
const faultsLookedAt = 200;

/** The longest that one run may take: the waits of the default budget, and checks that are asked again. */
const suiteMsMax = 1_800_000;

/** One clean run, and the name of its condition. */
export interface CleanTrial {
  readonly title: string;
  readonly run: SuiteRun;
}

/** Runs the contract on a real clock: ten times without a fault, and once with each fault that a plain server shows. */
export async function proveContractOnRealClock(
  only: readonly string[],
  tell: (line: string) => void,
): Promise<Proof> {
  const clean = only.length > 0 ? [] : await cleanTrials(tell);
  return contractProofOf(clean, await faultTrials(only, tell));
}

async function cleanTrials(tell: (line: string) => void): Promise<readonly CleanTrial[]> {
  const trials: CleanTrial[] = [];
  for (const isBusy of [false, true]) {
    const wanted = conditions
      .filter((condition) => condition.isBusy === isBusy)
      .flatMap((condition) => Array.from({ length: condition.runs }, () => condition));
    const loops = isBusy ? startBusyLoops() : undefined;
    const tried = await tryEach(
      wanted,
      ({ latencyMs }): Subject => {
        return { kind: "contract on a real clock", handler: "owners", latencyMs };
      },
      {
        onRun: () => tell("a clean run has ended"),
        processes: wanted.length,
        suitesEach: 1,
        suiteMsMax,
      },
    );
    loops?.stop();
    trials.push(...tried.map(({ item: { title }, run }) => ({ title, run })));
  }
  return trials;
}

async function faultTrials(
  only: readonly string[],
  tell: (line: string) => void,
): Promise<readonly FaultTrial[]> {
  const named = chosen(allFaults, only, ({ breaks }) => breaks);
  const faults = await shownFaults(only.length > 0 ? named : evenly(named, faultsLookedAt));
  tell(`${faults.length} faults are run on a real clock`);
  const tried = await tryEach(
    faults,
    ({ name: fault }): Subject => {
      return { kind: "contract on a real clock", handler: "conformance", latencyMs: 0, fault };
    },
    { onRun: () => tell("a run with a fault has ended"), processes: 2, suitesEach: 4, suiteMsMax },
  );
  return tried.map(({ item: fault, run }) => ({ fault, run }));
}

function evenly<Item>(items: readonly Item[], count: number): readonly Item[] {
  const groupOf = (at: number): number => Math.floor((at * count) / items.length);
  return items.filter((_, at) => groupOf(at) !== groupOf(at - 1));
}

/** The faults that a plain server shows in the default budget, found quickly on a virtual clock. */
async function shownFaults(faults: readonly Fault[]): Promise<readonly Fault[]> {
  const tried = await tryEach(faults, ({ name }): Subject => {
    return { kind: "fault on a plain server", name, handler: "conformance" };
  });
  return tried
    .filter(({ item: fault, run }) => caughtAs({ fault, run }).length > 0)
    .map(({ item }) => item);
}

/** Sums up the runs. A fault that a real clock does not show, by a millisecond or by chance, is no problem. */
export function contractProofOf(
  clean: readonly CleanTrial[],
  faulty: readonly FaultTrial[],
): Proof {
  const problems = clean.map((trial) => cleanProblems(trial));
  const fates = faulty.map((trial) => fateOf(trial));
  const missed = fates.flatMap(({ name, why }) =>
    why === undefined ? [] : [[name, why] as const],
  );
  const quiet = problems.filter(({ length }) => length === 0).length;
  const summary =
    `${clean.length} clean runs on a real clock, ${quiet} without a false alarm and with at most one undecided check; ` +
    `${faulty.length} faults, ${faulty.length - missed.length} caught under their names`;
  return {
    problems: [...problems.flat(), ...fates.flatMap((fate) => fate.problems)],
    summary,
    evidence: Object.fromEntries(missed),
  };
}

function cleanProblems({ title, run: { findings, failed } }: CleanTrial): readonly string[] {
  const alarms = findings.filter(({ verdict, broke }) => verdict === "fail" || broke === true);
  const undecided = findings.filter(({ verdict }) => verdict === "inconclusive");
  const open = [...new Set(undecided.map(({ check }) => check))];
  return [
    ...(failed === undefined ? [] : [`${title}: ${failed}`]),
    ...alarms.map(({ check, reason }) => `${title}: ${check} failed, ${reason ?? ""}`),
    ...(open.length > 1 ? [`${title}: undecided ${open.join(", ")}`] : []),
  ];
}

function fateOf(trial: FaultTrial): FaultFate {
  const { fault, run } = trial;
  const { name } = fault;
  const problems = run.failed === undefined ? [] : [`${name}: ${run.failed}`];
  if (caughtAs(trial).length > 0) return { name, problems };
  const open = run.findings.find(({ verdict }) => verdict === "inconclusive");
  const why = run.failed ?? open?.reason ?? "every check passed: a real clock does not show it";
  return { name, why, problems };
}
