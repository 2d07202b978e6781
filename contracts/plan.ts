import type { Capability, RequirementId } from "../openapi/index.ts";
import { checks } from "./checks.ts";
import { costs } from "./generated/costs.ts";
import { realTimeOf } from "../harness/check.ts";
import type { Check } from "../harness/check.ts";
import { whyNotTried } from "../harness/obstacles.ts";
import { Session } from "../harness/session.ts";
import { throttledMsOf } from "../harness/endpoint/throttle.ts";
import { openTarget } from "../harness/open-target.ts";
import type { RunSettings } from "../harness/run.ts";
import { selectChecks, selectRequirements } from "../harness/select.ts";

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
  /** It would have the endpoint to itself. */
  readonly exclusive: boolean;
}

/** Requirements that no planned check decides, and the checks left out, that share a reason. */
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
  /** The longest that one check waits; the others wait meanwhile. */
  readonly longestMs: number;
  /** What the checks take together that need the endpoint to themselves. */
  readonly exclusiveMs: number;
  /** What waiting for the limit of purge-queue may add, on a shared endpoint. */
  readonly throttledMs: number;
  /** All three together. */
  readonly atMostMs: number;
}

/**
 * Finds out what a run with these settings would do. Nothing is sent but what openTarget needs to know that the target
 * answers and what it offers.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
 */
export async function planContract(settings: RunSettings): Promise<Plan> {
  const session = new Session(await openTarget(settings), settings.seed);
  try {
    return planFor(checks, session, settings);
  } finally {
    await session.close();
  }
}

type Selection = Pick<RunSettings, "only" | "skip" | "timeBudgetMs">;

/** The plan of some checks on an open session. Sends nothing. */
export function planFor(
  all: readonly Check[],
  session: Session,
  { only = [], skip = [], timeBudgetMs }: Selection,
): Plan {
  const wanted = selectRequirements(only, skip);
  const sorted = selectChecks(all, wanted).map((check) => ({
    check,
    reasons: check.covers.map((id) => whyNotTried(check, id, { session, timeBudgetMs })),
  }));
  const tried = sorted.filter(({ reasons }) => reasons.includes(undefined));
  const decided = new Set(
    tried.flatMap(({ check, reasons }) =>
      check.covers.filter((id, at) => wanted.has(id) && reasons[at] === undefined),
    ),
  );
  const planned = tried.map(({ check }) => plannedCheck(check, session));
  const { baseUrl, endpointId = "", capabilities } = session.target;
  return {
    target: { baseUrl, endpointId, capabilities },
    dialect: session.dialect.name,
    clock: session.virtual ? "virtual" : "real",
    requirements: [...wanted].filter((id) => decided.has(id)),
    checks: planned,
    notRun: leftOut(sorted, { wanted, decided }),
    ...durationsOf(planned, session),
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

type Durations = Pick<Plan, "longestMs" | "exclusiveMs" | "throttledMs" | "atMostMs">;

function durationsOf(planned: readonly PlannedCheck[], { virtual, isolated }: Session): Durations {
  if (virtual) return { longestMs: 0, exclusiveMs: 0, throttledMs: 0, atMostMs: 0 };
  const longestMs = Math.max(0, ...planned.map(({ realTimeMs }) => realTimeMs));
  const exclusiveMs = planned
    .filter(({ exclusive }) => exclusive)
    .reduce((sumMs, { realTimeMs }) => sumMs + realTimeMs, 0);
  const purges = planned.reduce((sum, { name }) => sum + (costs[name]?.[2] ?? 0), 0);
  const throttledMs = isolated ? 0 : throttledMsOf("purge-queue", purges);
  return { longestMs, exclusiveMs, throttledMs, atMostMs: longestMs + exclusiveMs + throttledMs };
}

interface Sorted {
  readonly check: Check;
  /** For each requirement that it covers why it is not tried, where it is not. */
  readonly reasons: readonly (string | undefined)[];
}

interface Sought {
  readonly wanted: ReadonlySet<RequirementId>;
  readonly decided: ReadonlySet<RequirementId>;
}

/** By reason, in the order of the suite. A requirement stands once, under the first reason there is. */
function leftOut(sorted: readonly Sorted[], { wanted, decided }: Sought): readonly LeftOut[] {
  const groups = new Map<string, { ids: Set<RequirementId>; names: Set<string> }>();
  const groupOf = (reason: string): { ids: Set<RequirementId>; names: Set<string> } => {
    const group = groups.get(reason) ?? { ids: new Set(), names: new Set() };
    groups.set(reason, group);
    return group;
  };
  const told = new Set<RequirementId>(decided);
  for (const { check, reasons } of sorted) {
    for (const [at, id] of check.covers.entries()) {
      const reason = reasons[at];
      if (reason === undefined || !wanted.has(id)) continue;
      const { ids, names } = groupOf(reason);
      names.add(check.name);
      if (!told.has(id)) ids.add(id);
      told.add(id);
    }
  }
  const uncovered = [...wanted].filter((id) => !told.has(id));
  if (uncovered.length > 0) {
    const { ids } = groupOf("no check covers it yet");
    for (const id of uncovered) ids.add(id);
  }
  return [...groups].map(([reason, { ids, names }]) => ({
    reason,
    requirements: [...ids],
    checks: [...names],
  }));
}
