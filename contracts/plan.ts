import type { Capability } from "../openapi/capabilities.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { checks } from "./checks.ts";
import { heldBy, scheduleOf } from "./expected-time.ts";
import type { ScheduleStep } from "./expected-time.ts";
import { costs } from "./generated/costs.ts";
import { realTimeOf } from "../harness/check.ts";
import type { Check } from "../harness/check.ts";
import { whyNotTried } from "../harness/obstacles.ts";
import { Session } from "../harness/session.ts";
import { endpointIdsOf, sharingOf } from "../harness/endpoint/shared-endpoints.ts";
import type { EndpointSharing } from "../harness/endpoint/shared-endpoints.ts";
import { openTarget } from "../harness/open-target.ts";
import type { Planner, RunSettings } from "../harness/run.ts";
import { easiestReason, noCheckReason } from "../reports/not-run.ts";
import { selectChecks, selectRequirements } from "../harness/select.ts";
import { pollWaitMs } from "../harness/discovery/kept-workers.ts";

/** What a check asks of a target, measured on the reference and rounded up. */
export interface Cost {
  readonly requests: number;
  readonly jobs: number;
}

/** A check that would be tried. */
export interface PlannedCheck extends Cost {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  /** On a real clock; 0 on a virtual one. */
  readonly realTimeMs: number;
  /** It would have an endpoint to itself. */
  readonly exclusive: boolean;
}

/** Requirements that no planned check decides, and checks that are left out, all for one reason. */
export interface LeftOut {
  readonly reason: string;
  readonly requirements: readonly RequirementId[];
  readonly checks: readonly string[];
}

/** What a run would do. */
export interface Plan extends Cost {
  readonly target: {
    readonly baseUrl: string;
    readonly endpointId: string;
    readonly capabilities: readonly Capability[];
  };
  readonly dialect: string;
  readonly clock: "virtual" | "real";
  readonly requirements: readonly RequirementId[];
  readonly checks: readonly PlannedCheck[];
  readonly notRun: readonly LeftOut[];
  /** The longest wait of one check; the other checks wait at the same time. */
  readonly longestMs: number;
  /** How long the run takes: 0 on a virtual clock, the longest wait where every check has an endpoint of its own. */
  readonly expectedMs: number;
  /** The parts of expectedMs, one after another. */
  readonly critical: readonly ScheduleStep[];
  /** Changes that would make the run shorter, and how long it would take then. */
  readonly shorter: readonly { readonly by: string; readonly ms: number }[];
}

/**
 * Finds out what a run with these settings would do. Sends only the requests by which openTarget learns whether the
 * target answers and what it offers.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
 */
export async function planContract(settings: RunSettings & Selection): Promise<Plan> {
  const session = new Session(await openTarget(settings, { learns: false }), settings.seed);
  try {
    return planFor(checks, session, settings);
  } finally {
    await session.close();
  }
}

/** The reason why no check here covers a requirement; undefined where the plan need not name it. */
type WhyUncovered = (id: RequirementId) => string | undefined;

interface Selection extends Pick<RunSettings, "only" | "skip" | "timeBudgetMs"> {
  readonly whyUncovered?: WhyUncovered;
}

/** The plan of some checks on an open session. Sends nothing. */
export function planFor(
  all: readonly Check[],
  session: Session,
  { only = [], skip = [], timeBudgetMs, whyUncovered = () => noCheckReason }: Selection,
): Plan {
  const wanted = selectRequirements(only, skip);
  const sorted = selectChecks(all, wanted).map((check) => ({
    check,
    reasons: check.covers.map((id) => whyNotTried(check, id, { session, timeBudgetMs })?.reason),
  }));
  const tried = sorted.filter(({ reasons }) => reasons.includes(undefined));
  // A check that only observes is not counted on: it decides only what other checks happen to bring about.
  const decided = new Set(
    tried.flatMap(({ check, reasons }) =>
      check.observe !== undefined
        ? []
        : check.covers.filter((id, at) => wanted.has(id) && reasons[at] === undefined),
    ),
  );
  const planned = tried.map(({ check }) => plannedCheck(check, session));
  const { baseUrl, capabilities } = session.target;
  const endpointId = endpointIdsOf(session.target).join(",");
  return {
    target: { baseUrl, endpointId, capabilities },
    dialect: session.dialect.name,
    clock: session.virtual ? "virtual" : "real",
    requirements: [...wanted].filter((id) => decided.has(id)),
    checks: planned,
    notRun: leftOut(sorted, { wanted, decided, whyUncovered }),
    ...durationsOf(
      tried.map(({ check }) => check),
      session,
    ),
    requests: planned.reduce((sum, { requests }) => sum + requests, 0),
    jobs: planned.reduce((sum, { jobs }) => sum + jobs, 0),
  };
}

function plannedCheck(check: Check, session: Session): PlannedCheck {
  const { name, title, covers, exclusive = false } = check;
  const [requests, jobs] = costs[name] ?? [0, 0];
  return {
    name,
    title,
    covers,
    realTimeMs: session.virtual ? 0 : realTimeOf(check),
    exclusive: exclusive && !session.isolated,
    requests,
    jobs,
  };
}

type Durations = Pick<Plan, "longestMs" | "expectedMs" | "critical" | "shorter">;

/** A change that saves a smaller share of the time is not suggested. */
const shareSavedMin = 0.05;

function durationsOf(tried: readonly Check[], session: Session): Durations {
  const longestMs = session.virtual ? 0 : Math.max(0, ...tried.map((check) => realTimeOf(check)));
  if (session.isolated) return { longestMs, expectedMs: longestMs, critical: [], shorter: [] };
  const sharing = sharingIn(session);
  const { ms: expectedMs, critical } = scheduleOf(tried, sharing);
  const { workers } = sharing;
  const [first = 1] = workers;
  const changes = [
    ["one worker more on each endpoint", workers.map((count) => count + 1)],
    ["another endpoint like it (--endpoint a,b)", [...workers, first]],
    ["two more endpoints (--endpoint a,b,c)", [...workers, first, first]],
  ] as const;
  const shorter = changes
    .map(([by, changed]) => ({ by, ms: scheduleOf(tried, { ...sharing, workers: changed }).ms }))
    .filter(({ ms }) => ms <= expectedMs * (1 - shareSavedMin));
  return { longestMs, expectedMs, critical, shorter };
}

/** How the checks of a session share endpoints, with what was seen of the jobs of a jobs file. */
function sharingIn({ target, ownJobs, discovery }: Session): EndpointSharing {
  const startMs = pollWaitMs(discovery.seenOfJobs.work);
  const sharing = { ...sharingOf(target), startMs };
  return ownJobs === undefined
    ? sharing
    : { ...sharing, own: { ...sharing.own, seen: ownJobs.seen } };
}

/** What a run of the contract is held to. */
export const planner: Planner = {
  expectedMs: (tried, session) => durationsOf(tried, session).expectedMs,
  heldMs: (check, session) => {
    const [sharingMs, aloneMs] = heldBy(check, sharingIn(session));
    return sharingMs + aloneMs;
  },
};

interface Sorted {
  readonly check: Check;
  /** For each covered requirement the reason why it is not tried; undefined where it is tried. */
  readonly reasons: readonly (string | undefined)[];
}

interface Sought {
  readonly wanted: ReadonlySet<RequirementId>;
  readonly decided: ReadonlySet<RequirementId>;
  readonly whyUncovered: WhyUncovered;
}

/** Groups by reason, in the order of the suite. A requirement is listed once, under its easiest reason to change. */
function leftOut(
  sorted: readonly Sorted[],
  { wanted, decided, whyUncovered }: Sought,
): readonly LeftOut[] {
  const groups = new Map<string, { ids: Set<RequirementId>; names: Set<string> }>();
  const groupOf = (reason: string): { ids: Set<RequirementId>; names: Set<string> } => {
    const group = groups.get(reason) ?? { ids: new Set(), names: new Set() };
    groups.set(reason, group);
    return group;
  };
  const reasonsOf = new Map<RequirementId, string[]>();
  for (const { check, reasons } of sorted) {
    for (const [at, id] of check.covers.entries()) {
      const reason = reasons[at];
      if (reason === undefined || !wanted.has(id)) continue;
      groupOf(reason).names.add(check.name);
      reasonsOf.set(id, [...(reasonsOf.get(id) ?? []), reason]);
    }
  }
  for (const id of wanted) {
    if (decided.has(id)) continue;
    const reason = easiestReason(reasonsOf.get(id) ?? []) ?? whyUncovered(id);
    if (reason !== undefined) groupOf(reason).ids.add(id);
  }
  return [...groups].map(([reason, { ids, names }]) => ({
    reason,
    requirements: [...ids],
    checks: [...names],
  }));
}
