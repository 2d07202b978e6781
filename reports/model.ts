import type {
  CheckAttempt,
  DroppedRequest,
  Level,
  Outage,
  RequirementId,
  TargetGone,
} from "../openapi/index.ts";
import type { ReportLoad } from "./load/load-model.ts";
import type { JobTimeline } from "./timeline-model.ts";

export type { CheckAttempt, DroppedRequest, Outage, TargetGone } from "../openapi/index.ts";
export type * from "./load/load-model.ts";
export type * from "./timeline-model.ts";

/** What became of a check or a requirement (docs/read-a-report.md#verdicts), in the order reports count them. */
export const verdicts = ["pass", "fail", "inconclusive", "not-run"] as const;
export type Verdict = (typeof verdicts)[number];

export type Counts = Readonly<Record<Verdict, number>>;

/** Headers as they were sent or came; a repeated one is a list. */
export type EvidenceHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface EvidenceRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: EvidenceHeaders;
  /** A JSON value, a text where it is no JSON, null where there is none. */
  readonly body: unknown;
}

export interface EvidenceResponse {
  readonly status: number;
  readonly headers: EvidenceHeaders;
  readonly body: unknown;
}

/** One exchange with the target, redacted by whoever recorded it. */
export interface Evidence {
  readonly request: EvidenceRequest;
  /** null where no answer came; `error` then says why. */
  readonly response: EvidenceResponse | null;
  readonly error?: string | undefined;
  /** When it was sent, in milliseconds since the run began. */
  readonly atMs: number;
  readonly durationMs?: number | undefined;
  /** A command that repeats it. */
  readonly curl: string;
}

/** One difference between what was expected and what came. */
export interface Mismatch<Id extends string = RequirementId> {
  readonly requirement: Id;
  readonly at: string;
  readonly expected: string;
  readonly got: string;
}

/** What was seen of an open requirement, and where: readings may differ from place to place. */
export interface SeenReading {
  readonly requirement: RequirementId;
  readonly reading: string;
  readonly at?: string | undefined;
}

/** What a target does otherwise than the specification says, and a dialect lets pass. */
export interface Deviation<Id extends string = string> {
  readonly requirement: Id;
  /** What it does, in one sentence. */
  readonly what: string;
  /** An example. */
  readonly seen: string;
}

/** What one check found: the input of a report. */
export interface CheckResult {
  readonly name: string;
  readonly title?: string | undefined;
  readonly covers: readonly RequirementId[];
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string | undefined;
  /** The tries before this one, first to last, each of which could not decide. */
  readonly attempts?: readonly CheckAttempt[] | undefined;
  /** The requests that were answered only when they were sent again. */
  readonly dropped?: readonly DroppedRequest[] | undefined;
  readonly readings?: readonly SeenReading[];
  readonly mismatches?: readonly Mismatch[];
  /** Of any requirement: a check meets them on its way, too. */
  readonly deviations?: readonly Deviation<RequirementId>[];
  /** The shortest sequence that still fails, one step a line. */
  readonly steps?: readonly string[] | undefined;
  /** A shell script that repeats the exchanges, ids carried over. */
  readonly script?: string | undefined;
  readonly evidence: readonly Evidence[];
  /** What was seen of the jobs that matter. */
  readonly timelines?: readonly JobTimeline[];
}

/** A check as it stands under one requirement of a report. */
export interface ReportCheck {
  readonly name: string;
  readonly title?: string;
  readonly verdict: Verdict;
  readonly durationMs: number;
  readonly reason?: string;
  /** The tries before this one, first to last, each of which could not decide. */
  readonly attempts?: readonly CheckAttempt[];
  /** The requests that were answered only when they were sent again. */
  readonly dropped?: readonly DroppedRequest[];
  /** The differences that concern the requirement it stands under. */
  readonly mismatches?: readonly Mismatch<string>[];
  readonly steps?: readonly string[];
  readonly script?: string;
  readonly evidence: readonly Evidence[];
  /** What was seen of the jobs that matter. */
  readonly timelines?: readonly JobTimeline[];
}

export interface ReportRequirement {
  readonly id: string;
  readonly area: string;
  readonly level: Level;
  readonly text: string;
  readonly section: string;
  /** What a target has to offer before it can be decided. */
  readonly needs?: readonly string[];
  /** Of an open entry: the readings that conform. */
  readonly accepts?: readonly string[];
  readonly verdict: Verdict;
  /** Why it is not a pass. */
  readonly reason?: string;
  /** True where it is not decided and the run was told that it need not be (--allow-inconclusive). */
  readonly allowed?: true;
  /** Only of an open entry: what was seen. */
  readonly reading?: string;
  /** Where the target departs from it, and the dialect lets that pass. */
  readonly deviations?: readonly Deviation[];
  readonly checks: readonly ReportCheck[];
}

export interface ReportTarget {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly capabilities: readonly string[];
  /** Where its control protocol was, if one was used. */
  readonly controlUrl?: string;
  /** True where the run started the embedded reference for itself. */
  readonly embedded?: true;
}

/** What a report.json says of itself: a digest of everything else in it. */
export interface ReportIntegrity {
  readonly algorithm: "sha-256";
  /** Of the canonical JSON (RFC 8785) of the report without this member, in lower-case hex. */
  readonly digest: string;
}

export interface ReportTool {
  readonly name: "queueproof";
  readonly version: string;
  readonly node?: string;
}

/** report.json, `queueproof-report/1`. Members are added, never changed. */
export interface Report {
  readonly schema: "queueproof-report/1";
  readonly tool: ReportTool;
  readonly command: string;
  readonly seed: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** True where the run was stopped before its end. */
  readonly interrupted?: true;
  /** Set where the target stopped answering for good before the end of the run. */
  readonly targetGone?: TargetGone;
  /** The times in which the target did not answer, and after which it did again. */
  readonly outages?: readonly Outage[];
  /** The dialect the target was held to; `spec` is the specification itself. */
  readonly dialect?: string;
  readonly target: ReportTarget;
  readonly summary: { readonly requirements: Counts; readonly checks: Counts };
  /** Every deviation from the specification that the dialect lets pass. */
  readonly deviations?: readonly Deviation[];
  readonly requirements: readonly ReportRequirement[];
  readonly load: readonly ReportLoad[];
  /** Only in a file: the report as it is made holds none. */
  readonly integrity?: ReportIntegrity;
}

/** Turns a report into the text of one format. Pure: the same report gives the same bytes. */
export type Writer = (report: Report) => string;
