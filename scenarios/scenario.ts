import type { Capability, OperationName, RequirementId } from "../openapi/index.ts";
import { operationNamed, windowMs } from "../openapi/operations.ts";

/** What the target is held to while a scenario runs. */
export interface HeldLimits {
  readonly windowMs: number;
  /** Requests of one operation in a window. */
  readonly of: (operation: OperationName) => number;
}

/** The limits of the table (docs/specification.md#rate-limits). */
export const statedLimits: HeldLimits = {
  windowMs,
  of: (operation) =>
    operationNamed[operation].rateLimit.requestsPerWindow ?? Number.POSITIVE_INFINITY,
};

/** How large a scenario is. */
export interface ScenarioSize {
  readonly durationMs: number;
  /** The factor of rates and of numbers of jobs; 1 is what the scenario was made for. */
  readonly scale: number;
  readonly limits: HeldLimits;
  readonly capabilities: readonly Capability[];
}

/** Iterations that begin at a constant rate, however long each takes. */
export interface Arrivals {
  readonly kind: "arrivals";
  /** Letters, digits and hyphens; the tag `phase` of all that is counted in it. */
  readonly name: string;
  /** The function of the script. */
  readonly does: string;
  readonly perWindow: number;
  readonly windowMs: number;
  readonly startMs: number;
  readonly durationMs: number;
  readonly inFlightMax: number;
  /** Further tags of all that is counted in it. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** Virtual users that each call the function of the script once, all at the same time. */
export interface VirtualUsers {
  readonly kind: "virtual-users";
  readonly name: string;
  readonly does: string;
  readonly users: number;
  readonly startMs: number;
  /** What a user is still doing by then is broken off. */
  readonly longestMs: number;
}

export type Phase = Arrivals | VirtualUsers;

/** What an engine's figures are called in a summary. */
export type Measure = "count" | "min" | "med" | "avg" | "p95" | "max";

/** One figure that has to lie within bounds, both ends included. */
export interface Demand {
  /** k6's name of it, a part of one written `requests_sent{op:run}`; or one that is derived afterwards. */
  readonly metric: string;
  readonly measure: Measure;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** An unmet demand on the engine decides nothing, one on the target is the answer no. */
  readonly of: "engine" | "target";
  /** What the figure is, for people: "jobs lost". */
  readonly what: string;
  readonly requirement?: RequirementId;
  /** Whether meeting it proves the requirement, too; otherwise it can only be broken. */
  readonly proves?: true;
}

/** One figure of the report. */
export interface FigureRow {
  readonly label: string;
  readonly metric: string;
  readonly measure: Measure;
}

export interface ScenarioCost {
  /** At most, roughly: how often a job has to be asked for depends on the target. */
  readonly requests: number;
  readonly jobs: number;
  readonly durationMs: number;
  readonly peakPerSecond: number;
  readonly inFlightMax: number;
}

export interface ScenarioPlan {
  readonly cost: ScenarioCost;
  readonly phases: readonly Phase[];
  readonly demands: readonly Demand[];
  readonly figures: readonly FigureRow[];
  /** Parts of durations that only derived figures are made of. */
  readonly observes?: readonly string[];
  /** What the script needs to know besides. */
  readonly values: Readonly<Record<string, number>>;
}

/** Reads one figure of a run; undefined where nothing was measured. */
export type ReadFigure = (metric: string, measure: Measure) => number | undefined;

export type Figures = Readonly<Record<string, number | string>>;

/** How several processes share a load test: each told its segment by us, or by the operator of a cluster. */
export type SharingWay = "segment" | "k8s";

/** One question about load that a team has before a release. */
export interface Scenario {
  readonly name: string;
  /** One sentence. */
  readonly question: string;
  /** What has to hold for a yes, in one sentence. */
  readonly limits: string;
  readonly needs: readonly Capability[];
  readonly durationMs: number;
  /** The endpoint it wants where the target makes fresh ones. */
  readonly endpoint: { readonly workers: number; readonly clock: "real" | "virtual" };
  readonly plan: (size: ScenarioSize) => ScenarioPlan;
  /** Why it cannot be shared in a way; where nothing stands it can. */
  readonly unshared?: Partial<Readonly<Record<SharingWay, string>>>;
  /** Figures that follow from others. */
  readonly derive?: (read: ReadFigure, plan: ScenarioPlan) => Readonly<Record<string, number>>;
  /** The answer in one sentence, from the figures of the report. */
  readonly answer: (figures: Figures) => string;
}

/** How many requests of an operation make up a share of its limit in a window; one at least. */
export function shareOf(
  { limits, scale }: ScenarioSize,
  operation: OperationName,
  share: number,
): number {
  return Math.max(1, Math.floor(limits.of(operation) * share * scale));
}

/** How many iterations a phase begins: one at least, and none for the fence post at its end. */
export function plannedIn({ perWindow, windowMs: ofMs, durationMs }: Arrivals): number {
  return Math.max(1, Math.floor((perWindow * durationMs) / ofMs));
}

/** What a plan can be shared among at most: each process needs somebody to send in one of its phases. */
export function runnersMax({ phases }: Pick<ScenarioPlan, "phases">): number {
  const sizes = phases.map((phase) =>
    phase.kind === "virtual-users" ? phase.users : phase.inFlightMax,
  );
  return Math.max(...sizes);
}

/** A short job that has not ended after this is lost. */
export function jobLimitMs({ durationMs }: ScenarioSize): number {
  return Math.min(30_000, Math.max(5_000, durationMs));
}

export interface Punctuality {
  readonly measure: "p95" | "max";
  readonly ms: number;
}

/** Late beyond this at its slowest twentieth, an engine has not sent what was planned. */
const fairlyPunctual: Punctuality = { measure: "p95", ms: 1_000 };

/** What an engine has to do in a phase before its figures count. */
export function kept(phase: Arrivals, { measure, ms } = fairlyPunctual): readonly Demand[] {
  const planned = Math.max(1, Math.floor(plannedIn(phase) * 0.99));
  const lateness = `lateness{phase:${phase.name}}`;
  return [
    atLeast(planned, `iterations_begun{phase:${phase.name}}`, `begun in ${phase.name}`, {
      of: "engine",
    }),
    { metric: lateness, measure, atMost: ms, of: "engine", what: `ms late in ${phase.name}` },
  ];
}

type DemandRest = Partial<Pick<Demand, "of" | "requirement" | "proves">>;

/** Nothing of this kind may be counted. */
export function none(metric: string, what: string, rest: DemandRest = {}): Demand {
  return { metric, measure: "count", atMost: 0, of: "target", what, ...rest };
}

/** A demand that a count is at least this. */
export function atLeast(
  count: number,
  metric: string,
  what: string,
  rest: DemandRest = {},
): Demand {
  return { metric, measure: "count", atLeast: count, of: "target", what, ...rest };
}

export function figure(label: string, metric: string, measure: Measure = "count"): FigureRow {
  return { label, metric, measure };
}

/** Every answer has to be one the API knows: no 5xx, none missing. */
export const soundAnswers: readonly Demand[] = [
  none("requests_broken", "answers of 5xx"),
  none("requests_unanswered", "requests without an answer", { of: "engine" }),
];
