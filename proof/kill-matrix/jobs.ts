import { faults as allFaults } from "../faults/faults.ts";
import type { Fault } from "../../reference/faults.ts";
import { decidedWith } from "./jobs-needs.ts";
import { caughtAs } from "./proof.ts";
import type { FaultTrial, Proof } from "./proof.ts";
import { chosen } from "./suite-job.ts";
import type { Handler, Subject } from "./suite-job.ts";
import { tryEach } from "./suite-pool.ts";

/** This share of the faults that the conformance handler shows has to be caught under their names. */
const shareWanted = 0.85;

/**
 * Runs every contract fault on a plain server whose workers run an owner's handler, with the checks that a jobs file of
 * five kinds allows. Time is virtual, so that this takes minutes.
 */
export async function proveByJobs(
  only: readonly string[],
  onRun: (total: number) => void,
): Promise<Proof> {
  const decided = decidedWith();
  const faults = chosen(allFaults, only, ({ breaks }) => breaks).filter(({ breaks }) =>
    breaks.some((id) => decided.has(id)),
  );
  let total = 0;
  const trialsWith = async (handler: Handler, some: readonly Fault[]) => {
    total += some.length;
    const tried = await tryEach(
      some,
      ({ name }): Subject => ({ kind: "fault on a plain server", name, handler }),
      { onRun: () => onRun(total) },
    );
    return tried.map(({ item: fault, run }) => ({ fault, run }));
  };
  const trials = await trialsWith("owners", faults);
  const missed = trials.filter((trial) => !isCaught(trial)).map(({ fault }) => fault);
  const again = await trialsWith("conformance", missed);
  const unshown = new Set(again.filter((trial) => !isCaught(trial)).map(({ fault }) => fault));
  return jobsProofOf(
    trials.map(({ fault, run }) => ({ fault, run, isShown: !unshown.has(fault) })),
  );
}

interface JobsTrial extends FaultTrial {
  /** Whether the conformance handler shows it on a plain server. */
  readonly isShown: boolean;
}

/** Sums up the runs. */
function jobsProofOf(trials: readonly JobsTrial[]): Proof {
  const seen = trials
    .filter(({ isShown }) => isShown)
    .map((trial) => ({ fault: trial.fault, fate: fateOf(trial) }));
  const caught = seen.filter(({ fate }) => fate === "caught").length;
  const refused = seen.filter(({ fate }) => fate === "refused").length;
  const share = caught / Math.max(1, seen.length);
  const summary = `${caught} of ${seen.length} faults that the conformance handler shows there are caught under their names (${(100 * share).toFixed(1)} %), ${refused} more refused before the run`;
  const missed = seen
    .filter(({ fate }) => fate !== "caught")
    .map(({ fault, fate }) => [fault.name, fate] as const);
  return {
    problems: share >= shareWanted ? [] : [`fewer than ${100 * shareWanted} % were caught`],
    summary,
    evidence: Object.fromEntries(missed),
  };
}

function isCaught(trial: FaultTrial): boolean {
  return caughtAs(trial).length > 0;
}

function fateOf(trial: FaultTrial): "caught" | "refused" | "missed" {
  if (trial.run.failed?.includes("the jobs do not do what the jobs file says") === true)
    return "refused";
  return isCaught(trial) ? "caught" : "missed";
}
