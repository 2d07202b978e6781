import type { Static, TSchema } from "typebox";
import type { RequirementId } from "../openapi/requirements.ts";
import type { reportSchema } from "./report-schema.ts";
import type { Verdict } from "./verdict.ts";

/** Makes a type readonly at every depth. */
export type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

type Stored<Schema extends TSchema> = Frozen<Static<Schema>>;

/** The content of report.json, `queueproof-report/1`. Members may be added, but are never changed. */
export type Report = Stored<typeof reportSchema>;
export type ReportTarget = Report["target"];
export type VerdictCounts = Report["summary"]["checks"];
/** Says that the target stopped answering for good. */
export type TargetGone = NonNullable<Report["targetGone"]>;
/** A time in which the target did not answer, before it answered again. */
export type Outage = NonNullable<Report["outages"]>[number];

/** What several failures, or requirements that could not be decided, have in common. */
export type Cause = NonNullable<Report["causes"]>[number];

/**
 * Something that a run learned of its target before it judged. One that departs from the specification is a cause: it
 * breaks its own requirements once, and the rest of the run goes on as the target does.
 */
export interface Fact {
  /** The id of its cause, stable from run to run: `key-bearer-only`. */
  readonly id: string;
  /** What it is about, in a word: path, key, refusals, missing, webhooks, ids, front, pace, input, answers. */
  readonly topic: string;
  /** One sentence about the target. */
  readonly text: string;
  /** How the run goes on, where it does so otherwise than for a target that conforms. */
  readonly adapted?: string;
  /** The requirements that it breaks by itself; empty for what is worth knowing and no breach. */
  readonly breaks: readonly RequirementId[];
  /** The lines of a dialect that describe it (`deviations` of a dialect file). */
  readonly dialect?: Readonly<Record<string, unknown>>;
  readonly evidence: readonly Evidence[];
}

/** The verdict of a run on one profile of the catalogue. */
export type ReportProfile = NonNullable<Report["profiles"]>[number];

export type ReportRequirement = Report["requirements"][number];
/** A check, as listed under one requirement of a report. */
export type ReportCheck = ReportRequirement["checks"][number];
/** An earlier attempt of a check, which could not decide and was therefore run again automatically. */
export type CheckAttempt = NonNullable<ReportCheck["attempts"]>[number];
/** A request that got no answer at first, and one when it was sent again on a new connection. */
export type DroppedRequest = NonNullable<ReportCheck["dropped"]>[number];
/** One exchange with the target, redacted and with long bodies cut. */
export type Evidence = ReportCheck["evidence"][number];
/** Headers as they were sent or received; a repeated header is a list. */
export type EvidenceHeaders = Evidence["request"]["headers"];

/** One difference between what was expected and what was received. */
export type Mismatch<Id extends string = RequirementId> = NonNullable<
  ReportCheck["mismatches"]
>[number] & { readonly requirement: Id };

/** A difference from the specification that the target's dialect allows. */
export type Deviation<Id extends string = string> = NonNullable<Report["deviations"]>[number] & {
  readonly requirement: Id;
};

/** What a check saw of one job. A state held at least during its span; an event happened somewhere within its span. */
export type JobTimeline = NonNullable<ReportCheck["timelines"]>[number];
export type TimelineEvent = JobTimeline["events"][number];
/** A span in milliseconds from the first thing that a check saw at the endpoint, on the endpoint's clock. */
export type TimelineSpan = Pick<TimelineEvent, "fromMs" | "toMs">;

/** A load scenario in a report. Its requirements are judged by checks, like all others. */
export type ReportLoad = Report["load"][number];
/** One load scenario as an engine reports it: like `ReportLoad`, but with raw samples in place of series. */
export type LoadResult = Omit<ReportLoad, "series"> & { readonly samples?: readonly LoadSamples[] };
/** One trace, counted by sending time in bins of `binMs` that begin at `fromMs`. */
export type LoadSeries = NonNullable<ReportLoad["series"]>[number];
/** A distribution of times: `counts[i]` of them are at most `uptoMs[i]` and more than `uptoMs[i - 1]`. */
export type TimeSpread = NonNullable<LoadSeries["latency"]>;
/** A window of the limit, on its trace's clock. */
export type LoadWindow = NonNullable<LoadSeries["windows"]>[number];

/** Every request of one trace: arrays of equal length, with times in ms from the trace's start on one clock. */
export interface LoadSamples {
  /** For example "cancel: burst, single probes, parts of the limit". */
  readonly name: string;
  readonly operation?: string;
  readonly clock: "real" | "virtual";
  /** When the schedule wanted each request sent; absent where there was no schedule. */
  readonly intendedMs?: Float64Array;
  readonly sentMs: Float64Array;
  /** NaN means no answer. */
  readonly answeredMs: Float64Array;
  /** The HTTP status; 0 means no answer. */
  readonly status: Uint16Array;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly windows?: readonly LoadWindow[];
  /** The most requests that may be in flight at once. */
  readonly cap?: number;
  /** Times in which something was done to the target. */
  readonly bands?: LoadSeries["bands"];
}
/** File of a runner's raw values. Percentiles of several runners need all values; a mean of percentiles is wrong. */
export type LoadPoints = NonNullable<ReportLoad["points"]>;
/** The kind of limiter that an operation was found to have, and the best fit of every other kind. */
export type LimiterIdentification = NonNullable<ReportLoad["limiter"]>;
/** How well one kind of limiter explains what was admitted; with 0 differences it explains everything. */
export type LimiterFit = LimiterIdentification["best"];

/** The answer that a target gives to an open requirement, and where: it may differ from place to place. */
export interface Reading {
  readonly requirement: RequirementId;
  readonly reading: string;
  readonly at?: string | undefined;
}

/** The result of one check, and the input of a report. */
export interface CheckResult {
  readonly name: string;
  readonly title?: string | undefined;
  readonly covers: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string | undefined;
  /** The id of the cause that explains it, where the check or the run knows it already. */
  readonly cause?: string | undefined;
  readonly attempts?: readonly CheckAttempt[] | undefined;
  readonly dropped?: readonly DroppedRequest[] | undefined;
  readonly readings?: readonly Reading[];
  /** How often traffic showed that it holds, by operation. */
  readonly observed?: Readonly<Record<string, number>>;
  readonly mismatches?: readonly Mismatch[];
  /** Deviations from any requirement: a check may also meet some from requirements that it does not cover. */
  readonly deviations?: readonly Deviation<RequirementId>[];
  /** The shortest sequence that still fails, one step per item. */
  readonly steps?: readonly string[] | undefined;
  /** What the program that was judged printed meanwhile, line by line, redacted. */
  readonly printed?: readonly string[] | undefined;
  /** A shell script that repeats the exchanges and passes ids on from one to the next. */
  readonly script?: string | undefined;
  readonly evidence: readonly Evidence[];
  readonly timelines?: readonly JobTimeline[];
}

/** Turns a report into the text of one format. It is pure: the same report gives the same bytes. */
export type Writer = (report: Report, repeatLineOf?: RepeatLineOf) => string;

/** Returns the command that runs a requirement again; `undefined` where there is no report.json to repeat it from. */
export type RepeatLineOf = (id: string) => string | undefined;
