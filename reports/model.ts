import type { Static, TSchema } from "typebox";
import type { RequirementId } from "../openapi/index.ts";
import type { reportSchema } from "./report-schema.ts";
import type { Verdict } from "./verdict.ts";

export { verdicts } from "./verdict.ts";
export type { Verdict } from "./verdict.ts";

/** A value that nobody changes, all the way down. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

type Stored<Schema extends TSchema> = Frozen<Static<Schema>>;

/** report.json, `queueproof-report/1`. Members are added, never changed. */
export type Report = Stored<typeof reportSchema>;
export type ReportTarget = Report["target"];
export type ReportTool = Report["tool"];
export type VerdictCounts = Report["summary"]["checks"];
/** What a report.json says of itself: a digest of everything else in it. */
export type ReportIntegrity = NonNullable<Report["integrity"]>;
/** The target stopped answering for good. */
export type TargetGone = NonNullable<Report["targetGone"]>;
/** A time in which the target answered nothing, and after which it answered again. */
export type Outage = NonNullable<Report["outages"]>[number];

/** What a run says of one profile of the catalogue. */
export type ReportProfile = NonNullable<Report["profiles"]>[number];

export type ReportRequirement = Report["requirements"][number];
/** A check as it stands under one requirement of a report. */
export type ReportCheck = ReportRequirement["checks"][number];
/** An earlier try of a check that could not decide and was run again by itself. */
export type CheckAttempt = NonNullable<ReportCheck["attempts"]>[number];
/** A request that got no answer, and got one when it was sent again on a new connection. */
export type DroppedRequest = NonNullable<ReportCheck["dropped"]>[number];
/** One exchange with the target: redacted, long bodies cut. */
export type Evidence = ReportCheck["evidence"][number];
export type EvidenceRequest = Evidence["request"];
export type EvidenceResponse = NonNullable<Evidence["response"]>;
/** Headers as they were sent or came; a repeated one is a list. */
export type EvidenceHeaders = EvidenceRequest["headers"];

/** One difference between what was expected and what came. */
export type Mismatch<Id extends string = RequirementId> = NonNullable<
  ReportCheck["mismatches"]
>[number] & { readonly requirement: Id };

/** What a target does otherwise than the specification says, and a dialect lets pass. */
export type Deviation<Id extends string = string> = NonNullable<Report["deviations"]>[number] & {
  readonly requirement: Id;
};

/** What a check saw of one job. Of a state: it held at least so long; of an event: it lies somewhere within. */
export type JobTimeline = NonNullable<ReportCheck["timelines"]>[number];
export type TimelineEvent = JobTimeline["events"][number];
/** A span in milliseconds since the first thing that a check saw at the endpoint, on the endpoint's clock. */
export type TimelineSpan = Pick<TimelineEvent, "fromMs" | "toMs">;

/** A load scenario as it stands in a report. Its requirements are judged by checks, as everywhere. */
export type ReportLoad = Report["load"][number];
/** One load scenario's figures: as a report holds them, but for the samples, raw, as an engine took them. */
export type LoadResult = Omit<ReportLoad, "series"> & { readonly samples?: readonly LoadSamples[] };
/** One trace, counted in bins of `binMs` from `fromMs`, by the time of sending. */
export type LoadSeries = NonNullable<ReportLoad["series"]>[number];
/** How times are spread. `counts[i]` of them are at most `uptoMs[i]` and more than the one before. */
export type TimeSpread = NonNullable<LoadSeries["latency"]>;
/** A window of the limit, on the clock of its trace. */
export type LoadWindow = NonNullable<LoadSeries["windows"]>[number];

/** Every request of one trace: arrays of one length, times in ms on one clock from the trace's start. */
export interface LoadSamples {
  /** "cancel: burst, single probes, parts of the limit". */
  readonly name: string;
  readonly operation?: string;
  readonly clock: "real" | "virtual";
  /** When the schedule wanted each sent; absent where there was no schedule. */
  readonly intendedMs?: Float64Array;
  readonly sentMs: Float64Array;
  /** NaN: no answer. */
  readonly answeredMs: Float64Array;
  /** The HTTP status; 0: no answer. */
  readonly status: Uint16Array;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly windows?: readonly LoadWindow[];
  /** The most that may be in flight at once. */
  readonly cap?: number;
}
/** Percentiles of several runners come from all their values or not at all: a mean of theirs is none. */
export type LoadPoints = NonNullable<ReportLoad["points"]>;
/** What the limiter of an operation was identified as, and the best fit of every other kind. */
export type LimiterIdentification = NonNullable<ReportLoad["limiter"]>;
/** How well one kind of limiter explains what was admitted; 0 differences: wholly. */
export type LimiterFit = LimiterIdentification["best"];

/** What was seen of an open requirement, and where: readings may differ from place to place. */
export interface Reading {
  readonly requirement: RequirementId;
  readonly reading: string;
  readonly at?: string | undefined;
}

/** What one check found: the input of a report. */
export interface CheckResult {
  readonly name: string;
  readonly title?: string | undefined;
  readonly covers: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string | undefined;
  readonly attempts?: readonly CheckAttempt[] | undefined;
  readonly dropped?: readonly DroppedRequest[] | undefined;
  readonly readings?: readonly Reading[];
  readonly mismatches?: readonly Mismatch[];
  /** Deviations of any requirement: a check also meets those of others on its way. */
  readonly deviations?: readonly Deviation<RequirementId>[];
  /** The shortest sequence that still fails, one step a line. */
  readonly steps?: readonly string[] | undefined;
  /** A shell script that repeats the exchanges, ids carried over. */
  readonly script?: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly timelines?: readonly JobTimeline[];
}

/** Turns a report into the text of one format. Pure: the same report gives the same bytes. */
export type Writer = (report: Report, repeatLineOf?: RepeatLineOf) => string;

/** The command that runs a requirement again; `undefined` where no report.json is there to repeat it from. */
export type RepeatLineOf = (id: string) => string | undefined;
