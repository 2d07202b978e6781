import type { Capability } from "../openapi/capabilities.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import { isOptionalOperation, operationNamed, windowMs } from "../openapi/operations.ts";

/** The rate limits that the target has to keep while a scenario runs. */
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
  /** What the owner's mix sends and promises; absent: what the scenario sends by itself, and nothing. */
  readonly mix?: OfferedMix;
  /** What the jobs of the owner's jobs file do; absent where workers run the conformance handler. */
  readonly own?: OwnJobSizes;
}

/** A mix of operations at constant rates, and what its owner promises of their answers. */
export interface OfferedMix {
  readonly arrival: "even" | "poisson";
  /** Requests of each operation in a second. */
  readonly perSecond: Readonly<Partial<Record<OperationName, number>>>;
  /** In which proportion the kinds of jobs are submitted. */
  readonly jobs: Readonly<Record<string, number>>;
  readonly promises: readonly Promised[];
}

/** An objective of the owner's. */
export interface Promised {
  /** As its owner wrote it: `status p99`, `mix errors`. */
  readonly name: string;
  /** An operation, or `mix` for all of them. */
  readonly subject: string;
  /** Answers alone show `latency` and `errors`; the others take a look at jobs. */
  readonly measure: "latency" | "errors" | "queueDelay" | "completion" | "firstChunk";
  /** The share of values that lie within `bound`; of errors it means nothing. */
  readonly share: number;
  /** Milliseconds; of errors the largest share. */
  readonly bound: number;
}

/** How long jobs of one's own work at most, and what they yield. */
export interface OwnJobSizes {
  readonly quickMs: number;
  readonly streamingMs: number;
  readonly chunks: number;
}

/** Iterations that begin at a constant rate, however long each takes. */
export interface ArrivalRate {
  /** Letters, digits and hyphens. It is the tag `phase` of all that is counted in the phase. */
  readonly name: string;
  readonly perWindow: number;
  readonly windowMs: number;
  readonly startMs: number;
  readonly durationMs: number;
  readonly inFlightMax: number;
}

/** A phase of such iterations. */
export interface Arrivals extends ArrivalRate {
  readonly kind: "arrivals";
  /** The function of the script that each iteration calls. */
  readonly does: string;
  /** Further tags of all that is counted in the phase. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** Virtual users that each call the function of the script once, all at the same time, when the script starts. */
export interface VirtualUsers {
  readonly kind: "virtual-users";
  readonly name: string;
  readonly does: string;
  readonly users: number;
  /** A user that is not done after this time is stopped. */
  readonly longestMs: number;
}

export type Phase = Arrivals | VirtualUsers;

/** The statistics that an engine's summary gives of a metric, by their names there. */
export type Measure = "count" | "min" | "med" | "avg" | "max" | `p${number}`;

/** One figure that has to lie within bounds, both ends included. */
export interface Demand {
  /** The name of a k6 metric, or of a part such as `requests_sent{op:run}`, or of a figure derived afterwards. */
  readonly metric: string;
  readonly measure: Measure;
  readonly atLeast?: number;
  readonly atMost?: number;
  /** If a demand on the engine is not met, nothing is decided. If one on the target is not met, the answer is no. */
  readonly of: "engine" | "target";
  /** What the figure is, for people: "jobs lost". */
  readonly what: string;
  readonly requirement?: RequirementId;
  /** The promise that it is. */
  readonly promise?: Promised;
  /** Whether meeting the demand also proves the requirement. Otherwise it can only show it to be broken. */
  readonly proves?: true;
}

/** One figure of the report. */
export interface FigureRow {
  readonly label: string;
  readonly metric: string;
  readonly measure: Measure;
}

export interface ScenarioCost {
  /** A rough upper bound: how often a job has to be read depends on the target. */
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
  /** Parts of duration metrics that only derived figures use, and no demand or figure names. */
  readonly observes?: readonly string[];
  /** What the owner promises of answers; each has an entry of its own in the report. */
  readonly promises?: readonly Promised[];
  /** Further numbers that the script reads. */
  readonly values: Readonly<Record<string, number>>;
}

/** Reads one figure of a run; undefined where nothing was measured. */
export type ReadFigure = (metric: string, measure: Measure) => number | undefined;

export type Figures = Readonly<Record<string, number | string>>;

/** How processes share a load test: each gets its segment from queueproof, or from the operator of a cluster. */
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
  /** The endpoint to make for it, where the target can make fresh ones. */
  readonly endpoint: { readonly workers: number; readonly clock: "real" | "virtual" };
  readonly plan: (size: ScenarioSize) => ScenarioPlan;
  /** Whether it sends the owner's mix, where there is one. */
  readonly takesMix?: true;
  /** For each way in which it cannot be shared, the reason. */
  readonly unshared?: Partial<Readonly<Record<SharingWay, string>>>;
  /** Figures that follow from others. */
  readonly derive?: (read: ReadFigure, plan: ScenarioPlan) => Readonly<Record<string, number>>;
  /** The answer in one sentence, from the figures of the report. */
  readonly answer: (figures: Figures) => string;
}

/** The cost of several scenarios that run one after the other. */
export function costInTurn(costs: readonly ScenarioCost[]): ScenarioCost {
  return {
    requests: costs.reduce((sum, cost) => sum + cost.requests, 0),
    jobs: costs.reduce((sum, cost) => sum + cost.jobs, 0),
    durationMs: costs.reduce((sum, cost) => sum + cost.durationMs, 0),
    peakPerSecond: Math.max(0, ...costs.map((cost) => cost.peakPerSecond)),
    inFlightMax: Math.max(0, ...costs.map((cost) => cost.inFlightMax)),
  };
}

/** The kind of job that an operation is about; a jobs file may lack it, and the operation is left out then. */
const kindsOfJob: ReadonlyMap<OperationName, Capability> = new Map([
  ["cancel", "slow"],
  ["stream", "streaming"],
  // The job that is retried is one of the handler's.
  ["retry", "handler"],
]);

/** Whether the target has the operation, and the jobs that it is about. */
export function offersOperation({ capabilities }: ScenarioSize, operation: OperationName): boolean {
  if (isOptionalOperation(operation)) return capabilities.includes(operation);
  const kind = kindsOfJob.get(operation);
  return kind === undefined || capabilities.includes("handler") || capabilities.includes(kind);
}

/** How many requests in a window are this share of an operation's limit; at least one. */
export function shareOf(
  { limits, scale }: ScenarioSize,
  operation: OperationName,
  share: number,
): number {
  return Math.max(1, Math.floor(limits.of(operation) * share * scale));
}

/** A phase of iterations at a constant rate, which lasts as long as the scenario where nothing else is said. */
export function arrivals(
  { limits, durationMs }: ScenarioSize,
  phase: Omit<Arrivals, "kind" | "windowMs" | "startMs" | "durationMs"> & Partial<Arrivals>,
): Arrivals {
  return { kind: "arrivals", windowMs: limits.windowMs, startMs: 0, durationMs, ...phase };
}

/** How many iterations some phases begin, with the extra one at the end of each. */
export function iterationsOf(phases: readonly Arrivals[]): number {
  return phases.reduce((sum, phase) => sum + plannedIn(phase) + 1, 0);
}

/** How many iterations a phase begins: at least one, and not the extra one at its end. */
export function plannedIn({ perWindow, windowMs: ofMs, durationMs }: ArrivalRate): number {
  return Math.max(1, Math.floor((perWindow * durationMs) / ofMs));
}

/** How many processes can share a plan at most: each needs at least one user in one of the phases. */
export function runnersMax({ phases }: Pick<ScenarioPlan, "phases">): number {
  const sizes = phases.map((phase) =>
    phase.kind === "virtual-users" ? phase.users : phase.inFlightMax,
  );
  return Math.max(...sizes);
}

/** A short job that has not ended after this many ms counts as lost. */
export function jobLimitMs({ durationMs, own }: ScenarioSize): number {
  return Math.min(30_000, Math.max(5_000, durationMs)) + (own?.quickMs ?? 0);
}

/** So many jobs of one's own are followed at once at most. */
const followedMax = 1000;

/** How many iterations may be in flight where each follows a job to its end: as many more as jobs of one's own take longer. */
export function inFlightWith(
  { own, limits }: ScenarioSize,
  perWindow: number,
  most: number,
): number {
  if (own === undefined) return most;
  return Math.min(followedMax, most + Math.ceil((perWindow * own.quickMs) / limits.windowMs));
}

/**
 * The demand that jobs of one's own were done in time. Nobody knows how many of them the workers can do, so that one that
 * was not is no fault of the target: nothing is decided then.
 */
export function ownJobsDone({ own }: ScenarioSize): readonly Demand[] {
  if (own === undefined) return [];
  const what = "jobs of your own that did not complete in time (take a lower --scale)";
  return [zeroCount("own_jobs_undone", what, { of: "engine" })];
}

export interface Punctuality {
  readonly measure: "p95" | "max";
  readonly ms: number;
}

/** An engine whose slowest twentieth is later than this has not sent what was planned. */
const fairlyPunctual: Punctuality = { measure: "p95", ms: 1_000 };

/** The demands on the engine in a phase: its figures count only where they are met. */
export function engineDemandsOf(
  phase: Arrivals,
  { measure, ms } = fairlyPunctual,
): readonly Demand[] {
  const planned = Math.max(1, Math.floor(plannedIn(phase) * 0.99));
  return [
    atLeast(planned, `iterations_begun{phase:${phase.name}}`, `begun in ${phase.name}`, {
      of: "engine",
    }),
    atMost(ms, `lateness{phase:${phase.name}}`, `ms late in ${phase.name}`, {
      measure,
      of: "engine",
    }),
  ];
}

type DemandRest = Partial<Pick<Demand, "measure" | "of" | "requirement" | "promise" | "proves">>;

/** A demand that a count is 0. */
export function zeroCount(metric: string, what: string, rest: DemandRest = {}): Demand {
  return { metric, measure: "count", atMost: 0, of: "target", what, ...rest };
}

/** A demand that a count, or the measure named, is at least this. */
export function atLeast(
  count: number,
  metric: string,
  what: string,
  rest: DemandRest = {},
): Demand {
  return { metric, measure: "count", atLeast: count, of: "target", what, ...rest };
}

/** A demand that the largest value of a figure, or the measure named, is at most this. */
export function atMost(most: number, metric: string, what: string, rest: DemandRest = {}): Demand {
  return { metric, measure: "max", atMost: most, of: "target", what, ...rest };
}

/** The word with which an answer begins: yes where nothing of all that was counted. */
export function yesIfNone(...counts: readonly (number | string)[]): "Yes" | "No" {
  return counts.every((count) => Number(count) === 0) ? "Yes" : "No";
}

export function figure(label: string, metric: string, measure: Measure = "count"): FigureRow {
  return { label, metric, measure };
}

/** The demands that no answer is a 5xx, and that none is missing. */
export const soundAnswers: readonly Demand[] = [
  zeroCount("requests_broken", "answers of 5xx"),
  zeroCount("requests_unanswered", "requests without an answer", { of: "engine" }),
];
