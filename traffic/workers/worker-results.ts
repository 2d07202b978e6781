import { monotonicNowMs } from "../../client/exchange.ts";
import type { Redactor } from "../../client/redactor.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { CheckResult, Fact } from "../../reports/model.ts";
import { breach, holds, resultOfDecision } from "../decision.ts";
import type { DecidedRun, Decision } from "../decision.ts";
import { whyNotStarted } from "./hints.ts";
import type { WorkerTrial } from "./worker-plan.ts";
import { outcomeText, runRules } from "./run-rules.ts";
import type { KnownSecret } from "./run-rules.ts";
import { isStreaming, splitChunkText, streamDecisions } from "./stream-rules.ts";
import {
  afterCancelDecision,
  afterTimeOutDecision,
  againDecision,
  heardDecision,
  memoryDecision,
  nextDecision,
  ownOutputDecisions,
  processesDecision,
  stopAtWorkText,
  stopDecision,
  takenAtOnce,
} from "./whole-rules.ts";
import type { WorkerBench } from "./worker-bench.ts";
import { memoryOf } from "./worker-figures.ts";
import { workerCallOf } from "./worker-call.ts";
import { isAsExpected, isFailed, isLeftAlone } from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";

const causeCharactersMax = 60;
/** Lines of what was printed that are kept with a failure. */
const printedLinesMax = 30;

interface ResultsOptions {
  readonly plan: WorkerTrial;
  readonly secrets: readonly KnownSecret[];
  readonly startWithinMs: number;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** What the parts of a run show, as results of checks. */
export class WorkerResults {
  readonly all: CheckResult[] = [];
  readonly #judgement: ResultsOptions;
  readonly #bench: WorkerBench;
  readonly #redactor: Redactor;
  readonly #causes = new Map<string, Fact>();
  /** What is told and judged by nothing, a sentence of each kind. */
  readonly #sentences = new Map<string, string>();
  #told = 0;

  constructor(judgement: ResultsOptions, bench: WorkerBench) {
    this.#judgement = judgement;
    this.#bench = bench;
    this.#redactor = judgement.redactor;
  }

  /** What is no fault, and worth knowing. */
  get told(): readonly string[] {
    return [...this.#sentences.values()];
  }

  /** What keeps results from coming out, each told once for all entries that it breaks. */
  get causes(): readonly Fact[] {
    return [...this.#causes.values()];
  }

  /** The results since the last call. */
  fresh(): readonly CheckResult[] {
    const fresh = this.all.slice(this.#told);
    this.#told = this.all.length;
    return fresh;
  }

  /** WORK-01. */
  addStart(coldStartMs: number | undefined): void {
    const { startWithinMs, signal } = this.#judgement;
    if (coldStartMs === undefined && signal.aborted) return;
    const silent = this.#bench.processes.find(
      ({ id }) => !this.#bench.watch.requests.some(({ workerId }) => workerId === id),
    );
    const { exchanges } = this.#bench.watch;
    const others = exchanges.filter((exchange) => workerCallOf(exchange) === undefined);
    const seconds = Math.round(startWithinMs / 1000);
    const decision =
      coldStartMs === undefined
        ? breach(
            "the start of the worker",
            `a request for a job within ${seconds} s`,
            whyNotStarted(silent, startWithinMs, others),
          )
        : holds;
    this.#add("WORK-01", decision, this.#whole("start", "The program is started."));
  }

  /** Everything that a job shows, by itself and after those before. */
  async addRun(run: JobRun, before: readonly JobRun[]): Promise<void> {
    const place = placeOf(run);
    const first = before.find(({ test, purpose }) => test === run.test && purpose === "first");
    const context = { secrets: this.#secrets, first };
    const cause = this.#causeOf(run);
    for (const [id, rule] of runRules) {
      const decision = rule(run, context);
      if (decision !== undefined) this.#add(id, decision, place, { ...run, cause });
    }
    if (isStreaming(run)) {
      const streamed = await this.#bench.streamed(run.jobId);
      for (const [id, decision] of streamDecisions(run, streamed)) {
        this.#add(id, decision, place, run);
      }
      this.#tell("chunks", splitChunkText(run));
    }
    for (const [id, decision] of besideOthers(run, first, before.at(-1))) {
      this.#add(id, decision, place, { ...run, cause });
    }
  }

  /** WORK-33. */
  addStop(stoppedAfterMs: number | undefined): void {
    const place = this.#whole("stop", "A worker gets SIGTERM while it is idle.");
    this.#add("WORK-33", stopDecision(stoppedAfterMs), place);
  }

  /** What has become of a job whose worker was told to stop while it worked. */
  tellStopAtWork(run: JobRun): void {
    this.#tell("stop", stopAtWorkText(run));
  }

  #tell(what: string, sentence: string | undefined): void {
    if (sentence === undefined || this.#sentences.has(what)) return;
    this.#sentences.set(what, this.#redactor.redact(sentence));
  }

  /** What all jobs together show. */
  addWhole(runs: readonly JobRun[]): void {
    if (runs.length === 0) return;
    const { processes, watch } = this.#bench;
    const place = this.#whole("processes", "The worker's processes, and the jobs they took.");
    this.#add("WORK-02", processesDecision(processes, runs), place);
    this.#add("WORK-51", takenAtOnce(watch.requests), place);
    this.#add("WORK-50", memoryDecision(memoryOf(runs)), place);
    for (const run of runs.filter(isLeftAlone)) {
      const decision = heardDecision(run, watch.calls, monotonicNowMs());
      if (decision !== undefined) this.#add("WORK-32", decision, placeOf(run), run);
    }
    for (const decision of ownOutputDecisions(runs, watch.requests)) {
      this.#add("WORK-13", decision, place);
    }
  }

  get #secrets(): readonly KnownSecret[] {
    return [...this.#judgement.secrets, { name: "RUNPOD_AI_API_KEY", value: this.#bench.apiKey }];
  }

  #add(
    id: RequirementId,
    decision: Decision,
    place: DecidedRun,
    {
      printed = [],
      cause,
    }: { readonly printed?: readonly string[]; readonly cause?: string | undefined } = {},
  ): void {
    if (!this.#judgement.plan.only.has(id)) return;
    const result = resultOfDecision(id, decision, place, this.#redactor);
    if (result.verdict !== "fail") return void this.all.push(result);
    const lines = printed.filter((line) => line.trim() !== "").slice(-printedLinesMax);
    const shown = lines.map((line) => this.#redactor.redact(line));
    this.all.push({ ...result, cause, ...(shown.length > 0 && { printed: shown }) });
  }

  /** The id of what kept a job's result from coming out; undefined where it came out, or was only late. */
  #causeOf(run: JobRun): string | undefined {
    if (!["untold", "refused", "died"].includes(run.end.kind)) return undefined;
    const text = this.#redactor.redact(outcomeText(run));
    const why = text.slice(text.indexOf(":") + 1);
    const words = `${run.end.kind}-${why}`.toLowerCase().replaceAll(/[^a-z]+/g, "-");
    const id = words.slice(0, causeCharactersMax).replaceAll(/-$/g, "");
    this.#causes.set(id, { id, topic: "results", text, breaks: [], evidence: [] });
    return id;
  }

  #whole(name: string, title: string): DecidedRun {
    const { startedMs } = this.#bench;
    return { name: `worker/${name}`, title, exchanges: [], startedAtMs: startedMs, durationMs: 0 };
  }
}

/** The check's name is stable from run to run: what the job was for, and its test. */
function placeOf({ name, purpose, exchanges, submittedMs, endedMs }: JobRun): DecidedRun {
  const part = purpose === "first" ? "test" : purpose;
  const slug = name.replaceAll(/[^\p{L}\p{N}_.-]+/gu, "-").replaceAll(/^-|-$/g, "");
  return {
    name: `worker/${part}/${slug}`,
    title: `The job of ${JSON.stringify(name)}.`,
    exchanges,
    startedAtMs: submittedMs,
    durationMs: endedMs - submittedMs,
  };
}

/** What a job shows together with the first of its test and with the one before it. */
function besideOthers(
  run: JobRun,
  first: JobRun | undefined,
  last: JobRun | undefined,
): readonly (readonly [RequirementId, Decision])[] {
  const isControlled = run.purpose === "first" || (first !== undefined && isAsExpected(first));
  const isAfterFailure = last !== undefined && isFailed(last) && run.purpose !== "beside";
  const isAgain = ["again", "after-bad-input", "memory"].includes(run.purpose);
  return [
    ...(isAfterFailure && isControlled ? [["WORK-22", nextDecision(last, run)] as const] : []),
    ...(isAgain && first !== undefined
      ? [["WORK-12", againDecision(run, first, last)] as const]
      : []),
    ...(run.purpose === "timed-out" ? [["WORK-30", afterTimeOutDecision(run)] as const] : []),
    ...(run.purpose === "cancelled" && first !== undefined
      ? [["WORK-31", afterCancelDecision(run, first)] as const]
      : []),
  ];
}
