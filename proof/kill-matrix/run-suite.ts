import type { RequirementResult } from "../../harness/judge.ts";
import { runContract } from "../../contracts/run-contract.ts";
import type { RunEvent, RunHooks } from "../../harness/run-events.ts";
import { runRequirements } from "../../load/requirements/run-requirements.ts";
import { loadChecks } from "../../load/requirements/checks.ts";
import type { TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { capabilities } from "../../openapi/capabilities.ts";
import { isOfLoad, requirementIds } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faultNamed } from "../faults/faults.ts";
import type { Behaviour, BehaviourChange } from "../../reference/behaviour.ts";
import type { Fault } from "../../reference/faults.ts";
import type { ReferenceOptions } from "../../reference/start-reference.ts";
import { variationNamed } from "../variations/variations.ts";
import { withOwnersHandler } from "../../test/owners-handler.ts";
import { runsWithHandler, runsWithJobs, slowJobMs } from "./jobs-needs.ts";
import { waitMsMax } from "./real-clock-plan.ts";
import { jobsOfOwner, runOnRealClock } from "./run-on-real-clock.ts";
import { suiteChecks } from "./suite-job.ts";
import type { Finding, Handler, Subject, SuiteRun } from "./suite-job.ts";

/** Starts a reference of the subject's kind, runs the suite against it, and stops it. Never rejects. */
export async function runSuite(subject: Subject): Promise<SuiteRun> {
  try {
    return { findings: await findingsOn(subject) };
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { findings: [], failed };
  }
}

async function findingsOn(subject: Subject): Promise<readonly Finding[]> {
  switch (subject.kind) {
    case "clean":
      return findingsOnClean(subject);
    case "variation": {
      const { change } = known(variationNamed(subject.name), subject);
      const isOfLimits = /(^|[/+])limits[/-]/.test(subject.name);
      const ofLimits = subject.limits === "all" ? everyLoadId : [...lightLoadIds, kindOfLimit];
      return findingsAgainst(change, { load: isOfLimits ? ofLimits : lightLoadIds });
    }
    case "fault": {
      const fault = known(faultNamed(subject.name), subject);
      return subject.aim === "named"
        ? findingsByAim(fault, subject.checks)
        : findingsOfWhole(fault, subject.aim);
    }
    case "fault on a plain server":
      return findingsOnPlainServer(known(faultNamed(subject.name), subject), subject.handler);
    case "contract on a real clock":
      return findingsOfContract(subject);
    case "fault on a real clock":
      return findingsOnRealClock(known(faultNamed(subject.name), subject), subject);
    case "variation on a real clock":
      return findingsOnRealClock(known(variationNamed(subject.name), subject), subject);
  }
}

async function findingsOnClean({
  delayMs,
  limits = "all",
  seed = 1,
  requirements: named,
  failFast = false,
}: Extract<Subject, { kind: "clean" }>): Promise<readonly Finding[]> {
  const change = (): BehaviourChange => ({ transport: { delayAfterMs: () => delayMs } });
  if (named !== undefined) return findingsAgainst(change, { selected: new Set(named), failFast });
  return findingsAgainst(change, { load: limits === "all" ? everyLoadId : lightLoadIds, seed });
}

/** On a virtual clock answers take milliseconds, so a server that exceeds this gives none and is not merely late. */
const faultTimeoutMs = 10_000;

async function findingsByAim(
  { breaks, change }: Fault,
  names?: readonly string[],
): Promise<readonly Finding[]> {
  const timeoutMs = faultTimeoutMs;
  const selected = new Set(breaks);
  const isCaught = (found: readonly Finding[], check?: string): boolean =>
    found.some(
      (finding) =>
        finding.verdict === "fail" &&
        breaks.includes(finding.requirement) &&
        (check === undefined || finding.check === check),
    );
  const found =
    names === undefined
      ? []
      : await findingsAgainst(change, { selected, names: new Set(names), timeoutMs });
  if (names?.every((name) => isCaught(found, name)) === true) return found;
  // What some of the named checks found counts, too.
  const findings = [...found, ...(await findingsAgainst(change, { selected, timeoutMs }))];
  return isCaught(findings) ? findings : findingsAgainst(change, { timeoutMs });
}

function findingsOfWhole(
  { breaks, change }: Fault,
  aim: "whole" | "whole-until-caught",
): Promise<readonly Finding[]> {
  return findingsAgainst(change, {
    timeoutMs: faultTimeoutMs,
    load: breaks.some((id) => isOfLoad(id)) ? everyLoadId : [],
    ...(aim === "whole-until-caught" && { until: breaks }),
  });
}

/** Its time is virtual, so no time budget applies. */
const settings = { capabilities: [], seed: 1, timeBudgetMs: 0 } as const;

interface Choice {
  /** The requirements whose checks are run, of contract and load alike; absent: every contract check. */
  readonly selected?: ReadonlySet<RequirementId>;
  /** The names of the checks of these that are run; absent: all of them. */
  readonly names?: ReadonlySet<string>;
  /** The load requirements that are decided where nothing was selected; absent: none. */
  readonly load?: readonly RequirementId[];
  readonly failFast?: boolean;
  /** The run ends at the first failure of one of these. */
  readonly until?: readonly RequirementId[];
  /** The longest an answer may take; absent: the suite's own. */
  readonly timeoutMs?: number;
  /** What random choices are made from; absent: 1. */
  readonly seed?: number;
}

async function findingsAgainst(
  change: (behaviour: Behaviour) => BehaviourChange,
  {
    selected,
    names,
    load: loadIds = [],
    failFast = false,
    until = [],
    timeoutMs,
    seed = 1,
  }: Choice = {},
): Promise<readonly Finding[]> {
  const hooks = stopAtFailureOf(until);
  const isAsked = ({ name }: { readonly name: string }): boolean => names?.has(name) ?? true;
  return findingsWith({ behaviour: brokenBy(change) }, async (address) => {
    const contractSettings = {
      ...settings,
      seed,
      ...address,
      failFast,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(failFast && { first: cheapNames }),
      ...(selected !== undefined && { only: [...selected] }),
    };
    const { results } = await runContract(contractSettings, hooks, suiteChecks.filter(isAsked));
    const ids = hooks.signal.aborted ? [] : [...(selected ?? loadIds)];
    const asked = loadChecks.filter(isAsked);
    const target = { ...address, capabilities };
    return [...results, ...(await loadResults(target, ids, { failFast, until, checks: asked }))];
  });
}

function brokenBy(change: (behaviour: Behaviour) => BehaviourChange): Behaviour {
  return changed(specified, change(specified));
}

/** Starts a reference for the checks, and stops it when they have ended. */
async function findingsWith(
  options: Pick<ReferenceOptions, "behaviour" | "control">,
  runChecks: (
    address: Pick<Required<TargetAccess>, "baseUrl" | "controlUrl">,
  ) => Promise<readonly RequirementResult[]>,
): Promise<readonly Finding[]> {
  const reference = await startReference(options);
  const { baseUrl, controlUrl = "" } = reference;
  try {
    return (await runChecks({ baseUrl, controlUrl })).flatMap((result) => findingsOf(result));
  } finally {
    await reference.stop();
  }
}

/** Stops a run at the first failure of one of these requirements. */
function stopAtFailureOf(ids: readonly RequirementId[]): Required<RunHooks> {
  const stopping = new AbortController();
  const onEvent = (event: RunEvent): void => {
    if (event.type !== "finished" || event.result.verdict !== "fail") return;
    if (event.result.covers.some((id) => ids.includes(id))) stopping.abort();
  };
  return { onEvent, signal: stopping.signal };
}

/** The checks that neither move megabytes nor wait for a receiver that says nothing. */
const cheapNames = suiteChecks
  .filter(({ megabytes, waitsForTarget }) => megabytes === undefined && waitsForTarget !== true)
  .map(({ name }) => name);

const ownersTimes = { quickMs: 0, imageMs: [slowJobMs, slowJobMs] } as const;

async function findingsOnPlainServer(
  { breaks, change }: Fault,
  handler: Handler,
): Promise<readonly Finding[]> {
  const isOwners = handler === "owners";
  const names = isOwners ? namesWithJobs : namesWithHandler;
  const broken = brokenBy(change);
  const behaviour = isOwners ? withOwnersHandler(broken, ownersTimes) : broken;
  return findingsWith({ behaviour }, async (address) => {
    const jobs = isOwners ? { jobs: jobsOfOwner(ownersTimes) } : {};
    const asked = { ...settings, ...address, only: breaks, ...jobs };
    const { results } = await runContract(asked, {}, suiteChecks);
    return results.filter(({ name }) => names.has(name));
  });
}

const namesWithJobs = namesOf(suiteChecks.filter((check) => runsWithJobs(check)));
const namesWithHandler = namesOf(suiteChecks.filter((check) => runsWithHandler(check)));

function namesOf(all: readonly { readonly name: string }[]): ReadonlySet<string> {
  return new Set(all.map(({ name }) => name));
}

type OnRealClock = Extract<
  Subject,
  { readonly kind: "fault on a real clock" | "variation on a real clock" }
>;

async function findingsOfContract(
  subject: Extract<Subject, { readonly kind: "contract on a real clock" }>,
): Promise<readonly Finding[]> {
  const { handler, latencyMs, fault: name } = subject;
  if (name === undefined) {
    return (await runOnRealClock({ handler, latencyMs })).flatMap((result) => findingsOf(result));
  }
  const { change, breaks: only } = known(faultNamed(name), { kind: "fault", name });
  const behaviour = brokenBy(change);
  const results = await runOnRealClock({ handler, latencyMs, behaviour, only });
  return results.flatMap((result) => findingsOf(result));
}

interface Changing {
  readonly change: (behaviour: Behaviour) => BehaviourChange;
}

/** The contract's checks end at the first failure; those of limits are all carried out. */
async function findingsOnRealClock(
  { change }: Changing,
  { requirements: only, checks: names }: OnRealClock,
): Promise<readonly Finding[]> {
  const offered = capabilities.filter((capability) => capability !== "clock");
  const asked = suiteChecks.filter(({ name }) => names?.includes(name) ?? true);
  const reference = { behaviour: brokenBy(change), control: { without: ["clock"] } } as const;
  return findingsWith(reference, async (address) => {
    const target = { ...address, capabilities: offered };
    const contract = { ...settings, ...target, only, timeBudgetMs: waitMsMax };
    const { results } = await runContract(contract, stopAtFailureOf(only), asked);
    return [...results, ...(await loadResults(target, only, { timeBudgetMs: Infinity }))];
  });
}

interface LoadChoice extends Pick<Choice, "failFast" | "until"> {
  readonly timeBudgetMs?: number;
  readonly checks?: typeof loadChecks;
}

/** The verdicts of the load checks about those of the given requirements that are theirs. */
async function loadResults(
  target: TargetAccess,
  wanted: readonly RequirementId[],
  { timeBudgetMs = 0, failFast = false, until = [], checks: asked = loadChecks }: LoadChoice = {},
): Promise<readonly RequirementResult[]> {
  const ids = wanted.filter((id) => isOfLoad(id));
  if (ids.length === 0) return [];
  const stopping = new AbortController();
  const isLast = ({ verdict, covers }: RequirementResult): boolean =>
    verdict === "fail" && (failFast || covers.some((id) => until.includes(id)));
  const run = await runRequirements({
    target,
    checks: asked,
    requirements: new Set(ids),
    timeBudgetMs,
    signal: stopping.signal,
    onFinished: (result) => {
      if (isLast(result)) stopping.abort();
    },
  });
  return run.results;
}

const everyLoadId = requirementIds.filter((id) => isOfLoad(id));

const lightLoadIds: readonly RequirementId[] = [
  ...(["RATE-05", "RATE-06", "RATE-08", "CONC-05", "CONC-07"] as const),
];

/** Open, and read from the limit on cancel. */
const kindOfLimit: RequirementId = "RATE-14";

function known<Item>(item: Item | undefined, { kind, name }: { kind: string; name: string }): Item {
  if (item === undefined) throw new Error(`there is no ${kind} ${name}`);
  return item;
}

function findingsOf(result: RequirementResult): readonly Finding[] {
  const { name: check, verdict, reason, readings, harnessError } = result;
  return result.covers.map((requirement) => {
    const reading = readings.find((seen) => seen.requirement === requirement)?.reading;
    return {
      check,
      requirement,
      verdict,
      ...(reason !== undefined && { reason }),
      ...(reading !== undefined && { reading }),
      ...(harnessError !== undefined && { broke: true }),
    };
  });
}
