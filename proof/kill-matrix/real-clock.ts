import { isOfLoad } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { faults as allFaults } from "../faults/faults.ts";
import { variations } from "../variations/variations.ts";
import type { Variation } from "../variations/variation.ts";
import { checksThatCaught, parseEvidence } from "./evidence-file.ts";
import { idsWith } from "./proof.ts";
import type { FaultFate, FaultTrial, Proof } from "./proof.ts";
import { planOf } from "./real-clock-plan.ts";
import type { NotOnRealClock, RealClockPlan } from "./real-clock-plan.ts";
import { chosen } from "./suite-job.ts";
import type { Subject, SuiteRun } from "./suite-job.ts";
import { tryEach } from "./suite-pool.ts";
import type { SuitePoolOptions } from "./suite-pool.ts";

const suiteMsMax = 3_000_000;

/** How many runs share the two processes: they mostly wait, but for those of limits, which count in milliseconds. */
const pools = {
  waiting: { processes: 2, suitesEach: 32, suiteMsMax },
  contract: { processes: 2, suitesEach: 12, suiteMsMax },
  limits: { processes: 2, suitesEach: 4, suiteMsMax },
} as const;

/** A run that waits this long begins first and goes on beside all others. */
const longWaitMsMin = 120_000;

/** The requirements that a limiter decides. Caps, and operations that are counted together, are left to the faults. */
const limiterIds: readonly RequirementId[] = [
  "RATE-01",
  "RATE-02",
  "RATE-03",
  "RATE-04",
  "RATE-05",
  "RATE-06",
  "RATE-07",
  "RATE-08",
  "RATE-09",
  "RATE-14",
];

/**
 * Runs every fault that a real clock can show and the permitted kinds of limiter, each on a real clock of its own.
 * @param kept the evidence of the kill matrix, which tells what caught each fault on the virtual clock, and that of the
 * runs on a real clock before
 */
export async function proveOnRealClock(
  names: readonly string[],
  kept: { readonly matrix: string; readonly realClock: string },
  onRun: (total: number) => void,
): Promise<Proof> {
  const caughtBy = checksThatCaught(kept.matrix);
  const shown = parseEvidence(kept.realClock);
  const planned = chosen(allFaults, names, ({ breaks }) => breaks).map((fault) =>
    planOf(fault, caughtBy, shown),
  );
  const left = planned.flatMap((each) => ("why" in each ? [each] : []));
  const plans = planned.flatMap((each) => ("why" in each ? [] : [each]));
  const limiters = chosen(variations, names, () => []).filter(({ name }) =>
    name.startsWith("limits/"),
  );
  const told = { onRun: () => onRun(plans.length + limiters.length) };
  const ofFaults = (some: readonly RealClockPlan[], pool: SuitePoolOptions) =>
    tryEach(some, subjectOf, { ...told, ...pool });

  const waiting = ofFaults(
    plans.filter((plan) => isLong(plan)),
    pools.waiting,
  );
  const soon = await ofFaults(
    plans.filter((plan) => !isLong(plan) && !isOfLimits(plan)),
    pools.contract,
  );
  const ofLimits = await ofFaults(
    plans.filter((plan) => isOfLimits(plan)),
    pools.limits,
  );
  const ofLimiters = await tryEach(limiters, limiterSubject, { ...told, ...pools.limits });
  const trials = [...(await waiting), ...soon, ...ofLimits].map(({ item: { fault }, run }) => ({
    fault,
    run,
  }));
  return proofOf(
    trials,
    ofLimiters.map(({ item: { name }, run }) => ({ name, run })),
    left,
  );
}

function isOfLimits({ fault }: RealClockPlan): boolean {
  return fault.breaks.some((id) => isOfLoad(id));
}

function isLong({ waitMs }: RealClockPlan): boolean {
  return waitMs >= longWaitMsMin;
}

function subjectOf({ fault: { name, breaks }, checks }: RealClockPlan): Subject {
  const named = checks === undefined ? {} : { checks };
  return { kind: "fault on a real clock", name, requirements: breaks, ...named };
}

function limiterSubject({ name }: Variation): Subject {
  return { kind: "variation on a real clock", name, requirements: limiterIds };
}

interface LimiterTrial {
  readonly name: string;
  readonly run: SuiteRun;
}

/** Sums up the runs. A fault about which nothing could be decided counts as not shown, and is no problem. */
export function proofOf(
  faults: readonly FaultTrial[],
  limiters: readonly LimiterTrial[],
  left: readonly NotOnRealClock[] = [],
): Proof {
  const seen = faults.map((trial) => fateOf(trial));
  const alarms = limiters.map((trial) => alarmsIn(trial));
  const caught = seen.filter(({ why }) => why === undefined).length;
  const clean = alarms.filter(({ length }) => length === 0).length;
  const summary =
    `${seen.length} faults, ${caught} caught on a real clock, and ${left.length} that only an advanced clock shows; ` +
    `${alarms.length} permitted limiters, ${clean} without a failure`;
  const unseen = seen.flatMap(({ name, why }) => (why === undefined ? [] : [[name, why] as const]));
  return {
    problems: [...seen.flatMap(({ problems }) => problems), ...alarms.flat()],
    summary,
    evidence: Object.fromEntries([
      ...left.map(({ fault: { name }, why }) => [name, why] as const),
      ...unseen,
    ]),
  };
}

function fateOf({ fault: { name }, run }: FaultTrial): FaultFate {
  const problems = brokenOf(name, run);
  if (idsWith("fail", run).length > 0) return { name, problems };
  // An inconclusive verdict is honest; a pass of everything that the fault breaks is not.
  const tried = run.findings.filter(({ verdict }) => verdict !== "not-run");
  const isMissed = tried.length > 0 && tried.every(({ verdict }) => verdict === "pass");
  if (isMissed) return { name, why: "missed", problems: [...problems, `${name} was missed`] };
  const [reason = "nothing was decided"] = tried.flatMap(({ verdict, reason: told }) =>
    verdict === "pass" || told === undefined ? [] : [told],
  );
  return { name, why: reason, problems };
}

function alarmsIn({ name, run }: LimiterTrial): readonly string[] {
  const failed = run.findings.filter(({ verdict }) => verdict === "fail");
  const alarms = failed.map(
    ({ requirement, reason }) => `${name}: ${requirement} failed, ${reason ?? ""}`,
  );
  return [...brokenOf(name, run), ...alarms];
}

function brokenOf(name: string, run: SuiteRun): readonly string[] {
  if (run.failed !== undefined) return [`${name}: ${run.failed}`];
  const broke = run.findings.filter((finding) => finding.broke === true);
  return broke.map(({ check, reason }) => `${name}: ${check} broke, ${reason ?? ""}`);
}
