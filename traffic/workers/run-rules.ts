import type { RequirementId } from "../../openapi/requirements.ts";
import { show } from "../../harness/show.ts";
import { breach, holds, reads } from "../decision.ts";
import type { Decision } from "../decision.ts";
import { jsonOf, memberOf } from "../recording/recorded-exchange.ts";
import { deathText, errorText, lastErrorOf, whyRefused, whyUntold } from "./hints.ts";
import {
  atJob,
  chunksOf,
  isAsExpected,
  isFailed,
  isLeftAlone,
  isNothing,
  workedMs,
} from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";

/** A secret that the worker knows, by the name of its variable. */
export interface KnownSecret {
  readonly name: string;
  readonly value: string;
}

/** What is known besides a job. */
export interface JobContext {
  readonly secrets: readonly KnownSecret[];
  /** The first job of the same test. */
  readonly first: JobRun | undefined;
}

/** What one job shows of an entry of the catalogue; undefined where it says nothing of it. */
type RunRule = (run: JobRun, context: JobContext) => Decision | undefined;

/** The entries that a single job shows. */
export const runRules: readonly (readonly [RequirementId, RunRule])[] = [
  ["WORK-02", goesOn],
  ["WORK-11", isDelivered],
  ["WORK-10", endsAsExpected],
  ["WORK-14", sendsAfterResult],
  ["WORK-15", kindOfResult],
  ["WORK-20", failsOnBadInput],
  ["WORK-21", tellsFailure],
  ["WORK-23", showsNoSecret],
];

/** A job that works for longer shows what only slow ones do. */
export const slowMs = 6_000;

/** How a job came out, in words: "FAILED: boom", "no result: the worker ended with exit code 3". */
export function outcomeText({ end, record, test, printed, ...run }: JobRun): string {
  if (end.kind === "told") {
    const error = record["error"] === undefined ? "" : `: ${show(errorText({ record }))}`;
    return `${String(record["status"])}${error}`;
  }
  if (end.kind === "untaken") return "no worker took it";
  if (end.kind === "late") {
    const told = lastErrorOf(printed);
    return `no result after ${seconds(test.timeoutMs)}, its time${told === undefined ? "" : `; the worker printed ${show(told)}`}`;
  }
  if (end.kind === "died") return `no result: ${deathText(end.process, printed)}`;
  if (end.kind === "refused") return `no result: ${whyRefused(end.call.exchange)}`;
  return `no ${chunksOf(run).length > 0 ? "end" : "result"} was sent, and the job would stay IN_PROGRESS: ${whyUntold(printed)}`;
}

function goesOn(run: JobRun): Decision | undefined {
  const { end, backMs, printed } = run;
  if (end.kind === "untaken" || end.kind === "late") return undefined;
  if (end.kind === "died") {
    return breach(atJob(run), "a worker that goes on", deathText(end.process, printed));
  }
  return backMs === undefined
    ? breach(atJob(run), "a request for the next job afterwards", "none for 30 s")
    : holds;
}

function endsAsExpected(run: JobRun): Decision | undefined {
  if (run.purpose !== "first") return undefined;
  if (isAsExpected(run)) return holds;
  const { test } = run;
  const wanted = test.expectsFailure ? "FAILED" : "COMPLETED";
  const expected = `${wanted} within ${seconds(test.timeoutMs)}`;
  const hint = isFailed(run) ? ' (a test that is meant to fail says "expect": "FAILED")' : "";
  return breach(atJob(run), expected, `${outcomeText(run)}${hint}`, exchangeOf(run));
}

function isDelivered(run: JobRun): Decision | undefined {
  const { end } = run;
  if (end.kind === "told") return holds;
  // A worker that was told to stop a job tells nothing of it.
  if (!isLeftAlone(run)) return undefined;
  if (end.kind !== "untold" && end.kind !== "refused") return undefined;
  const expected = "a result of JSON of at most 20 MiB";
  return breach(atJob(run), expected, outcomeText(run), exchangeOf(run));
}

function sendsAfterResult({ end, calls }: JobRun): Decision | undefined {
  if (end.kind !== "told") return undefined;
  const { arrivedMs } = end.call.exchange;
  const late = calls.some(
    ({ kind, exchange }) =>
      (kind === "progress" || kind === "chunk") && exchange.arrivedMs > arrivedMs,
  );
  return reads(late ? "progress, which the service ignores" : "nothing");
}

function kindOfResult({ end, record }: JobRun): Decision | undefined {
  if (end.kind !== "told" || record["status"] !== "COMPLETED") return undefined;
  const { output } = record;
  if (output === undefined || output === null) return reads("nothing");
  return reads(
    typeof output === "object"
      ? "an object or an array"
      : "a single value (text, number, true, false)",
  );
}

function failsOnBadInput(run: JobRun, { first }: JobContext): Decision | undefined {
  if (run.purpose !== "bad-input") return undefined;
  const { record, end, test } = run;
  const expected = `FAILED with an error, or a result, within ${seconds(test.timeoutMs)}`;
  const { status, error, output } = record;
  const hasResult = output !== undefined && output !== null;
  if (end.kind === "told" && status === "COMPLETED") {
    // A handler that gives nothing for a good input gives nothing for any.
    if (hasResult || !hasOutput(first)) return holds;
    return breach(atInput(run), expected, "COMPLETED, without a result", exchangeOf(run));
  }
  const hasError = typeof error === "string" ? error.trim() !== "" : Boolean(error);
  if (end.kind === "told" && status === "FAILED" && hasError) return holds;
  const got = end.kind === "told" ? `${outcomeText(run)} (with an empty error)` : outcomeText(run);
  return breach(atInput(run), expected, got, exchangeOf(run));
}

function atInput(run: JobRun): string {
  return `${atJob(run)}, input ${show(run.input)}`;
}

function hasOutput(run: JobRun | undefined): boolean {
  return !isNothing(run?.record["output"]);
}

function tellsFailure(run: JobRun): Decision | undefined {
  const { record, end } = run;
  if (end.kind !== "told" || record["status"] !== "COMPLETED") return undefined;
  const flaw = failureIn(record["output"]);
  if (flaw === undefined) return holds;
  const expected = 'FAILED: raise the error, or return {"error": …}';
  return breach(atJob(run), expected, `COMPLETED, with ${flaw} in its output`, exchangeOf(run));
}

/** What at the top of an output tells of a failure. */
function failureIn(output: unknown): string | undefined {
  if (isTraceback(output)) return "a traceback";
  if (typeof output !== "object" || output === null || Array.isArray(output)) return undefined;
  const { error, status } = { error: undefined, status: undefined, ...output };
  if (error !== undefined && error !== null && error !== "" && error !== false) {
    return `"error": ${show(error)}`;
  }
  if (typeof status === "string" && /^(?:error|fail(?:ed|ure)?)$/i.test(status)) {
    return `"status": ${show(status)}`;
  }
  const member = Object.entries(output).find(([, value]) => isTraceback(value));
  return member === undefined ? undefined : `a traceback as "${member[0]}"`;
}

function isTraceback(value: unknown): boolean {
  return typeof value === "string" && value.trimStart().startsWith("Traceback");
}

function showsNoSecret(run: JobRun, { secrets }: JobContext): Decision | undefined {
  if (run.end.kind !== "told") return undefined;
  const told = JSON.stringify([run.record["output"], run.record["error"]]);
  const chunks = run.calls.filter(({ kind }) => kind === "chunk" || kind === "progress");
  const texts = [told, ...chunks.map(({ exchange }) => exchange.body.bytes.toString("utf8"))];
  const shown = secrets.find(({ value }) =>
    texts.some((text) => text.includes(JSON.stringify(value).slice(1, -1))),
  );
  if (shown === undefined) return holds;
  const what = run.record["error"] === undefined ? "its output" : "its error";
  const got = `the value of the variable ${shown.name}`;
  return breach(atJob(run), `no secret in ${what}`, got, exchangeOf(run));
}

/** The exchange that tells of a job's end. */
export function exchangeOf({ end, exchanges }: JobRun): JobRun["exchanges"][number] | undefined {
  return end.kind === "told" || end.kind === "refused" ? end.call.exchange : exchanges.at(-1);
}

/** What a worker sent as output of its result. */
export function sentOutput({ end }: JobRun): unknown {
  return end.kind === "told" ? memberOf(jsonOf(end.call.exchange.body), "output") : undefined;
}

function seconds(ms: number): string {
  return ms >= 10_000 ? `${Math.round(ms / 1000)} s` : `${(ms / 1000).toFixed(1)} s`;
}

/** Whether a job worked long enough for what only slow ones show. */
export function isSlow(run: JobRun): boolean {
  return (workedMs(run) ?? 0) > slowMs;
}
