import { setTimeout as pause } from "node:timers/promises";
import { monotonicNowMs } from "../../client/exchange.ts";
import type { CheckResult, Fact } from "../../reports/model.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";
import type { KnownSecret } from "./run-rules.ts";
import { isSlow } from "./run-rules.ts";
import type { WorkerFigures } from "./worker-figures.ts";
import { WorkerBench } from "./worker-bench.ts";
import type { JobToRun, WorkerBenchOptions } from "./worker-bench.ts";
import { workerFigures } from "./worker-figures.ts";
import { besideJobs, besidesJobMs, isWanted, jobsOf } from "./worker-plan.ts";
import type { WorkerTrial } from "./worker-plan.ts";
import { WorkerResults } from "./worker-results.ts";
import { isAsExpected, isLeftAlone, workedMs } from "./worker-test.ts";
import type { JobRun } from "./worker-test.ts";
import { hasOutputOf, memoryRuns, stopWithinMs } from "./whole-rules.ts";

export interface WorkerJudgement extends WorkerBenchOptions {
  readonly plan: WorkerTrial;
  /** Secrets of the worker's environment that no job may show. */
  readonly secrets: readonly KnownSecret[];
  readonly onResults: (results: readonly CheckResult[], done: number, of: number) => void;
  /** Is told how long the rest takes, in milliseconds, once each test has run. */
  readonly onEstimate: (restMs: number) => void;
}

export interface WorkerOutcome {
  readonly results: readonly CheckResult[];
  readonly figures: WorkerFigures | undefined;
  /** What kept results from coming out, by the ids that results name as their causes. */
  readonly causes: readonly Fact[];
  /** Whether what was left of the plan was left out, since it took longer than it was planned to. */
  readonly isOutOfTime: boolean;
}

/** A job quicker than this is run twenty times. */
const quickMsMax = 2_000;
const executionTimeoutMs = 5_000;
const cancelAfterMs = 1_500;
const stopAfterMs = 500;
/** A run ends within this much of what it was estimated to take. */
const boundFactor = 1.5;
const boundExtraMs = 15_000;

/**
 * Starts a worker, gives it jobs, and judges it by what becomes of them.
 * @throws ProgramStartError where the program cannot be started
 */
export async function judgeWorker(judgement: WorkerJudgement): Promise<WorkerOutcome> {
  const bench = await WorkerBench.open(judgement);
  try {
    return await new WorkerRun(judgement, bench).all();
  } finally {
    await bench.close();
  }
}

/** One worker that is put through its plan. */
class WorkerRun {
  readonly #judgement: WorkerJudgement;
  readonly #plan: WorkerTrial;
  readonly #bench: WorkerBench;
  readonly #results: WorkerResults;
  readonly #runs: JobRun[] = [];
  #deadlineMs = Number.POSITIVE_INFINITY;

  constructor(judgement: WorkerJudgement, bench: WorkerBench) {
    this.#judgement = judgement;
    this.#plan = judgement.plan;
    this.#bench = bench;
    this.#results = new WorkerResults(judgement, bench);
  }

  async all(): Promise<WorkerOutcome> {
    const coldStartMs = await this.#bench.started();
    this.#results.addStart(coldStartMs);
    this.#tell();
    if (coldStartMs === undefined) return this.#outcome(undefined);
    await this.#firstRuns();
    await this.#againRuns();
    await this.#badInputs();
    await this.#slowRuns();
    await this.#besideRuns();
    await this.#memoryRuns();
    await this.#stop();
    this.#results.addWhole(this.#runs);
    this.#tell();
    const { told } = this.#results;
    return this.#outcome(workerFigures(this.#runs, { tests: this.#plan.tests, coldStartMs, told }));
  }

  #outcome(figures: WorkerFigures | undefined): WorkerOutcome {
    const isOutOfTime = monotonicNowMs() > this.#deadlineMs;
    return { results: this.#results.all, causes: this.#results.causes, figures, isOutOfTime };
  }

  /** Whether nothing more is to be run. */
  get #isOver(): boolean {
    return (
      this.#judgement.signal.aborted || this.#bench.isGone || monotonicNowMs() > this.#deadlineMs
    );
  }

  #tell(): void {
    const { onResults } = this.#judgement;
    onResults(this.#results.fresh(), this.#runs.length, jobsOf(this.#plan));
  }

  async #run(job: JobToRun): Promise<JobRun | undefined> {
    if (this.#isOver) return undefined;
    const run = await this.#bench.run(job);
    if (this.#judgement.signal.aborted) return undefined;
    await this.#results.addRun(run, this.#runs);
    this.#runs.push(run);
    this.#tell();
    return run;
  }

  async #firstRuns(): Promise<void> {
    for (const test of this.#plan.tests)
      await this.#run({ name: test.name, test, purpose: "first" });
    const restMs = this.#restMs();
    this.#judgement.onEstimate(restMs);
    this.#deadlineMs = monotonicNowMs() + boundFactor * restMs + boundExtraMs;
  }

  async #againRuns(): Promise<void> {
    const { runs } = this.#plan;
    for (let count = 2; count <= runs; count += 1) {
      for (const test of this.#repeated) {
        await this.#run({ name: `${test.name}, run ${count}`, test, purpose: "again" });
      }
    }
  }

  /** After each bad input a good one, which is to be done whatever became of the bad one. */
  async #badInputs(): Promise<void> {
    const quickest = this.#quickest;
    for (const { name, input, test } of this.#triedBadInputs) {
      await this.#run({ name, test, input, purpose: "bad-input" });
      if (quickest === undefined) continue;
      const next = `${quickest.name}, after ${name}`;
      await this.#run({ name: next, test: quickest, purpose: "after-bad-input" });
    }
  }

  async #slowRuns(): Promise<void> {
    const slow = this.#slowest;
    if (slow === undefined) return;
    if (isWanted(this.#plan, "time-out")) {
      const policy = { executionTimeout: executionTimeoutMs };
      const name = `${slow.name}, out of time`;
      await this.#run({ name, test: slow, purpose: "timed-out", policy });
    }
    if (isWanted(this.#plan, "cancel")) {
      const name = `${slow.name}, cancelled`;
      await this.#run({ name, test: slow, purpose: "cancelled", cancelAfterMs });
    }
  }

  /** Submits jobs of several tests at once, in turn. */
  async #besideRuns(): Promise<void> {
    const tests = this.#repeated.filter((test) => this.#quick(test));
    if (!isWanted(this.#plan, "beside") || tests.length === 0) return;
    await Promise.all(
      Array.from({ length: besideJobs }, async (_, index) => {
        const test = tests[index % tests.length];
        if (test === undefined) return;
        await this.#run({ name: `${test.name}, beside ${index + 1}`, test, purpose: "beside" });
      }),
    );
    // Where a job beside others had another output, it has to be the same as ever when it is alone.
    for (const test of tests) {
      const [first] = this.#ofTest(test);
      const beside = this.#runs.filter((run) => run.test === test && run.purpose === "beside");
      if (first === undefined || beside.every((run) => hasOutputOf(run, first))) continue;
      await this.#run({ name: `${test.name}, alone again`, test, purpose: "again" });
    }
  }

  async #memoryRuns(): Promise<void> {
    const test = this.#quickest;
    if (!isWanted(this.#plan, "memory") || test === undefined || !this.#quick(test)) return;
    for (let count = this.#ofTest(test).length; count < memoryRuns; count += 1) {
      await this.#run({ name: `${test.name}, run ${count + 1}`, test, purpose: "memory" });
    }
  }

  async #stop(): Promise<void> {
    if (!isWanted(this.#plan, "stop") || this.#isOver) return;
    const idle = await this.#idle();
    if (idle === undefined) return;
    this.#results.addStop(await this.#bench.terminated(idle, stopWithinMs));
    await this.#stopAtWork();
  }

  /** What becomes of a job whose worker is told to stop is told, and nothing is judged by it. */
  async #stopAtWork(): Promise<void> {
    const slow = this.#slowest;
    // One that did not come back when its job was ended would not do so now.
    const isStuck = this.#runs.some((run) => !isLeftAlone(run) && run.backMs === undefined);
    if (slow === undefined || isStuck || this.#isOver) return;
    const name = `${slow.name}, told to stop`;
    const job = { name, test: slow, purpose: "stopped", stopAfterMs } as const;
    this.#results.tellStopAtWork(await this.#bench.run(job));
  }

  /** A process that waits for a job, once what it was last told has come to an end. */
  async #idle(): Promise<WorkerBench["processes"][number] | undefined> {
    await pause(besidesJobMs);
    return this.#bench.processes.find(({ end }) => end === undefined);
  }

  /** Tests that run more than once. */
  get #repeated(): readonly JobTest[] {
    return this.#plan.tests.filter(({ name }) => !this.#plan.once.has(name));
  }

  /** Where the test itself does not work, an input without a member shows nothing. */
  get #triedBadInputs(): WorkerTrial["badInputs"] {
    return this.#plan.badInputs.filter(({ test }) =>
      this.#bySpeed.some((run) => run.test === test),
    );
  }

  /** The test that is done quickest, of those that work and may be repeated. */
  get #quickest(): JobTest | undefined {
    return this.#bySpeed.at(0)?.test;
  }

  get #slowest(): JobTest | undefined {
    const slowest = this.#bySpeed.at(-1);
    return slowest !== undefined && isSlow(slowest) ? slowest.test : undefined;
  }

  get #bySpeed(): readonly JobRun[] {
    return this.#runs
      .filter((run) => run.purpose === "first" && isAsExpected(run))
      .filter(({ test }) => !test.expectsFailure && this.#repeated.includes(test))
      .toSorted((one, other) => (workedMs(one) ?? 0) - (workedMs(other) ?? 0));
  }

  #quick(test: JobTest): boolean {
    const [first] = this.#ofTest(test);
    return first !== undefined && isAsExpected(first) && (workedMs(first) ?? 0) <= quickMsMax;
  }

  #ofTest(test: JobTest): readonly JobRun[] {
    return this.#runs.filter(
      (run) => run.test === test && run.input === test.input && run.purpose !== "beside",
    );
  }

  /** How long the rest of the plan takes, by what the first runs took. */
  #restMs(): number {
    const { runs } = this.#plan;
    const badInputs = this.#triedBadInputs;
    const tookMs = (test: JobTest | undefined): number => {
      const first = this.#runs.find((run) => run.test === test);
      if (first === undefined) return besidesJobMs;
      // From its submission until the next job may be given: on a busy machine that is more than it works.
      const { backMs = first.endedMs + besidesJobMs, submittedMs } = first;
      return Math.max(backMs - submittedMs, besidesJobMs);
    };
    const sum = (tests: readonly (JobTest | undefined)[]): number =>
      tests.reduce((all, test) => all + tookMs(test), 0);
    const quickest = this.#quickest;
    const slow = this.#slowest;
    const isQuick = quickest !== undefined && this.#quick(quickest);
    const isBeside = isWanted(this.#plan, "beside") && isQuick;
    const isRepeated = isWanted(this.#plan, "memory") && isQuick;
    return (
      (runs - 1) * sum(this.#repeated) +
      sum(badInputs.map(({ test }) => test)) +
      badInputs.length * tookMs(quickest) +
      (slow === undefined ? 0 : sum([slow, slow])) +
      (isBeside ? besideJobs * tookMs(quickest) : 0) +
      (isRepeated ? Math.max(0, memoryRuns - runs - badInputs.length) * tookMs(quickest) : 0) +
      (isWanted(this.#plan, "stop") ? 5_000 + (slow === undefined ? 0 : tookMs(slow)) : 0)
    );
  }
}
