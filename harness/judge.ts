import type { Exchange, MetDeviation } from "../client/exchange.ts";
import type { RequirementId } from "../openapi/requirements.ts";
import type {
  CheckResult,
  DroppedRequest,
  Evidence,
  Mismatch,
  Outage,
  Reading,
} from "../reports/model.ts";
import { nothingObservedReason } from "../reports/not-run.ts";
import { timelinesOf } from "./timeline/timelines-of.ts";
import type { Check, CheckHeader } from "./check.ts";
import type { HeldMs } from "./endpoint/endpoint-lease.ts";
import { curlOf } from "./evidence/curl.ts";
import { evidenceOf, roundedMs } from "./evidence/evidence.ts";
import { failingExchange, failingFirst, givenJobId, jobOf } from "./evidence/failing.ts";
import type { FoundMismatch } from "./expect.ts";
import type { Verdict } from "../reports/verdict.ts";
import type { RecordedStep, Recorder } from "./evidence/recorder.ts";
import {
  judgeDifferences,
  messageCharactersMax,
  noDoubts,
  needsNoWorker,
} from "./judge-differences.ts";
import type { Doubts } from "./judge-differences.ts";
import { judgePace } from "./judge-pace.ts";
import { scriptOf } from "./evidence/script.ts";
import type { Obstacle } from "./obstacles.ts";
import type { Session } from "./session.ts";
import { brief } from "./show.ts";
import { verdictOf } from "./verdict.ts";
import type { EarlyEnd, Judgement } from "./verdict.ts";
import type { ConfiguredDialect } from "./dialects/configured-dialect.ts";

/** What one check says of one requirement. A check that covers two gives two results. */
export interface RequirementResult extends Omit<CheckResult, keyof Judgement>, Judgement {
  readonly title: string;
  readonly readings: readonly Reading[];
  readonly mismatches: readonly Mismatch[];
  /** What the dialect allowed or translated, also of other requirements that the check met on its way. */
  readonly deviations: readonly MetDeviation[];
}

/** How a check's function ended, before anything is judged. */
export interface CheckEnding extends EarlyEnd, Doubts {
  readonly recorder: Recorder;
  /** What it did until its function ended, without the cleanup. */
  readonly recordedSteps: readonly RecordedStep[];
  readonly durationMs: number;
  /** For how many milliseconds its requests together were held back because the target takes no more a second. */
  readonly pacedMs: number;
  /** How many of its requests were refused for that, and sent again. */
  readonly refusals: number;
  /** For how long it held its endpoint. */
  readonly heldMs: HeldMs;
  /** Whether no other check ran meanwhile. */
  readonly isAlone: boolean;
  /** The first time that the target went away and came back while the check ran. */
  readonly outage?: Outage;
}

/** The largest number of exchanges in a result. The last ones are those that matter. */
const evidenceMax = 60;

/** Judges one requirement by how its check ended. */
export function judgeRequirement(
  check: Check,
  requirement: RequirementId,
  ending: CheckEnding,
  session: Session,
): RequirementResult {
  const { recorder, durationMs } = ending;
  const { findings, redactor } = recorder;
  // Redacted before it is cut: half a secret would not be found.
  const redact = (text: string): string => brief(redactor.redact(text), messageCharactersMax);
  const found = findings.mismatches.filter((mismatch) => mismatch.requirement === requirement);
  const failing = found.map((mismatch) => failingExchange(mismatch, recorder.exchanges));
  const reported = exchangesToReport(recorder.exchanges, failing);
  const mismatches = found.map(({ at, expected, got }, index): Mismatch => {
    const exchange = reported.findIndex((each) => each === failing[index]);
    return {
      requirement,
      at: redact(at),
      expected: redact(expected),
      got: redact(got),
      ...(exchange >= 0 && { exchange }),
    };
  });
  const isSure = found.every((mismatch, at) => needsNoWorker(mismatch, failing[at]));
  const isPassMeaningful = session.hasAccepted || check.observe !== undefined;
  const judgement = judgePace(
    judgementOf({ check, requirement, mismatches, ending, isSure }),
    ending,
    session.pace,
  );
  const { verdict, reason, cause, judgedBy, harnessError } = isPassMeaningful
    ? judgement
    : inconclusiveIfPassed(judgement);
  const ownEvidence = verdict === "pass" ? [] : evidenceFor(reported, recorder, session);
  return {
    name: check.name,
    title: check.title,
    covers: [requirement],
    verdict,
    durationMs: roundedMs(durationMs),
    ...(reason === undefined ? {} : { reason: redact(reason) }),
    ...(cause !== undefined && { cause }),
    ...(judgedBy !== undefined && { judgedBy }),
    readings: findings.readings
      .filter((reading) => reading.requirement === requirement)
      .map(({ at, reading }) => ({ requirement, at: redact(at ?? ""), reading: redact(reading) })),
    mismatches,
    deviations: deviationsFor(check, requirement, ending).map((met) => ({
      requirement: met.requirement,
      what: redact(met.what),
      seen: redact(met.seen),
    })),
    ...(recorder.dropped.length === 0 ? {} : { dropped: droppedOnce(recorder.dropped) }),
    evidence: [...ownEvidence, ...recorder.attachments.slice(0, evidenceMax)],
    ...(recorder.steps.length === 0 || verdict === "pass" ? {} : { steps: recorder.steps }),
    ...(verdict === "fail" ? scriptFor(check, { ending, found, failing }, session) : {}),
    ...timelinesFor(verdict, { mismatches, failing }, recorder),
    ...(harnessError === undefined ? {} : { harnessError: redactor.redact(harnessError) }),
  };
}

/** Orders exchanges: what failed and what led there comes first. Keeps the latest where a report cannot hold all. */
function exchangesToReport(
  exchanges: readonly Exchange[],
  failing: readonly (Exchange | undefined)[],
): readonly Exchange[] {
  const shown = failing.filter((each) => each !== undefined);
  const ordered = failingFirst(exchanges, shown);
  if (ordered.length <= evidenceMax) return ordered;
  const latest = new Set([...shown.slice(0, evidenceMax / 2), ...exchanges.slice(-evidenceMax)]);
  return ordered.filter((each) => latest.has(each)).slice(0, evidenceMax);
}

function evidenceFor(
  reported: readonly Exchange[],
  { redactor, exchanges }: Recorder,
  { startedAtMs, isolated }: Session,
): readonly Evidence[] {
  const given = new Set(exchanges.map(givenJobId));
  return reported.map((exchange) => {
    const { request } = exchange;
    const job = jobOf(exchange);
    // Whether the endpoint, or the job, is gone when somebody reads the report.
    const isGone = isolated || (request.jobId !== undefined && given.has(request.jobId));
    const curl = isGone ? undefined : curlOf(request);
    return evidenceOf(exchange, redactor, { startedAtMs, job, curl });
  });
}

/** More of them would only repeat themselves. */
const droppedMax = 20;

/** Lists each request once, with how often it was sent without getting an answer. */
function droppedOnce(dropped: readonly DroppedRequest[]): readonly DroppedRequest[] {
  const byRequest = new Map<string, DroppedRequest>();
  for (const each of dropped) {
    const key = `${each.request} ${each.error}`;
    const times = (byRequest.get(key)?.times ?? 0) + each.times;
    byRequest.set(key, { ...each, times });
  }
  return [...byRequest.values()].slice(0, droppedMax);
}

/** A pass shows only jobs for whose moments the check waited. */
const timelineLimits = {
  notPassed: { jobs: 6, events: 80 },
  passed: { jobs: 2, events: 12, onlyAwaited: true },
};

function timelinesFor(
  verdict: Verdict,
  { mismatches, failing }: Pick<Failure, "failing"> & { readonly mismatches: readonly Mismatch[] },
  recorder: Recorder,
): Pick<RequirementResult, "timelines"> {
  const jobs = failing.map((each) => (each === undefined ? undefined : jobOf(each)));
  const named = mismatches.flatMap(({ at, expected, got }) => [at, expected, got]);
  const limits = verdict === "pass" ? timelineLimits.passed : timelineLimits.notPassed;
  const timelines = timelinesOf(recorder, { jobs, named }, limits);
  return timelines.length === 0 ? {} : { timelines };
}

/** The deviations of one result. Each is in one: that of its own requirement if the check covers it, else the first. */
function deviationsFor(
  { covers }: Check,
  requirement: RequirementId,
  { recorder }: CheckEnding,
): readonly MetDeviation[] {
  return recorder.findings.deviations
    .all()
    .filter((met) =>
      covers.includes(met.requirement)
        ? met.requirement === requirement
        : covers[0] === requirement,
    );
}

/** The differences of one requirement, and at the same index the exchange that shows each. */
interface Failure {
  readonly ending: CheckEnding;
  readonly found: readonly FoundMismatch[];
  readonly failing: readonly (Exchange | undefined)[];
}

const scriptTextMax = 300;

/** Makes a script that repeats the first difference; none for a check with webhooks: no shell answers their calls. */
function scriptFor(
  { name }: Check,
  { ending: { recordedSteps, recorder }, found, failing }: Failure,
  { target, isolated, virtual }: Session,
): Pick<RequirementResult, "script"> {
  const [mismatch] = found;
  const [shown] = failing;
  if (mismatch === undefined || shown === undefined || recorder.hooks.length > 0) return {};
  const redact = (text: string): string => brief(recorder.redactor.redact(text), scriptTextMax);
  const { at, expected, got } = mismatch;
  const redactedMismatch = { at: redact(at), expected: redact(expected), got: redact(got) };
  const script = scriptOf(
    {
      name,
      steps: recordedSteps,
      failing: shown,
      mismatch: redactedMismatch,
      isRealTime: !virtual,
    },
    {
      baseUrl: target.baseUrl,
      controlUrl: target.controlUrl,
      endpointId: isolated ? undefined : target.endpointId,
    },
  );
  // A script without its secrets would send something else.
  const isWhole = script !== undefined && recorder.redactor.redact(script) === script;
  return isWhole ? { script } : {};
}

interface Case {
  readonly check: Check;
  readonly requirement: RequirementId;
  readonly mismatches: readonly Mismatch[];
  readonly ending: CheckEnding;
  /** Whether no worker and no moment can have changed what differs. */
  readonly isSure: boolean;
}

function judgementOf({ check, requirement, mismatches, ending, isSure }: Case): Judgement {
  const { findings } = ending.recorder;
  const isDoubtful = mismatches.length > 0 || ending.undecided !== undefined;
  const doubts = isSure ? noDoubts : ending;
  const seen = mismatches.length > 0 ? judgeDifferences(mismatches, doubts) : undefined;
  return verdictOf({
    requirement,
    end: ending,
    difference: judgeOutage(ending, isDoubtful) ?? seen,
    comparisons: findings.comparisons.get(requirement) ?? 0,
    nothingCompared: nothingComparedBy(check, findings.mismatches),
  });
}

/** What it means that nothing was compared: nothing was there to observe, or an earlier difference ended the check. */
function nothingComparedBy(
  { observe }: Check,
  [first]: readonly FoundMismatch[],
): Judgement | undefined {
  if (observe !== undefined) return { verdict: "not-run", reason: nothingObservedReason };
  if (first === undefined) return undefined;
  return { verdict: "inconclusive", reason: `not reached: ${first.requirement} failed before` };
}

/** An outage fails a check that ran alone, for it has caused it. Beside others, it makes doubtful ends inconclusive. */
function judgeOutage({ outage, isAlone }: CheckEnding, isDoubtful: boolean): Judgement | undefined {
  if (outage === undefined) return undefined;
  const { request, lastAnswerAtMs, backAtMs } = outage;
  const seconds = ((backAtMs - lastAnswerAtMs) / 1000).toFixed(1);
  const away = `the target went away at ${request} and came back after ${seconds} s`;
  if (isAlone) {
    const reason = `expected the target to stay, but ${away}, again while only this check ran`;
    return { verdict: "fail", reason };
  }
  if (!isDoubtful) return undefined;
  return { verdict: "inconclusive", reason: `${away} while this check ran` };
}

/** Makes a pass inconclusive while the target has accepted nothing: it may refuse every request. */
function inconclusiveIfPassed(judgement: Judgement): Judgement {
  if (judgement.verdict !== "pass") return judgement;
  const reason = "the target has accepted no request yet, so a refusal proves nothing";
  return { verdict: "inconclusive", reason };
}

/** A result for a check that was not tried. */
export function notRunResult(
  { name, title }: Pick<CheckHeader, "name" | "title">,
  requirement: RequirementId,
  reason: string,
): RequirementResult {
  const nothing = { durationMs: 0, readings: [], mismatches: [], deviations: [], evidence: [] };
  return { name, title, covers: [requirement], verdict: "not-run", reason, ...nothing };
}

/** The same, with a deviation where the dialect says that the target lacks what the requirement is about. */
export function notRunWithDeviation(
  check: Check,
  requirement: RequirementId,
  { reason, cause }: Obstacle,
  dialect: ConfiguredDialect,
): RequirementResult {
  if (cause !== undefined) return { ...notRunResult(check, requirement, reason), cause };
  const what = dialect.lacking(requirement);
  const seen = "not tried: the dialect says so";
  const deviations = what === undefined ? [] : [{ requirement, what, seen }];
  return { ...notRunResult(check, requirement, reason), deviations };
}
