import { monotonicNowMs } from "../../client/exchange.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { stopReason } from "../../harness/outcome.ts";
import { isSettled } from "../open-loop/job-book.ts";
import { defaultMix, scaledMix } from "../open-loop/mix.ts";
import type { Mix } from "../open-loop/mix.ts";
import { offeredMix } from "../open-loop/offered-mix.ts";
import { runOpenLoop } from "../open-loop/open-loop.ts";
import type { Lateness } from "../open-loop/open-loop.ts";
import { slotsOf } from "../open-loop/send-mix.ts";
import { faultByCrashes, faultByHooks, faultOfNetwork } from "./fault-action.ts";
import type { FaultAction } from "./fault-action.ts";
import { BookedRun } from "../open-loop/booked-run.ts";
import type { BookedRunOptions } from "../open-loop/booked-run.ts";
import { afterwardsMs, scheduleOf } from "./fault-scenario.ts";
import type { FaultScenario, FaultSchedule } from "./fault-scenario.ts";
import { healthShown } from "../open-loop/health-counts.ts";
import type { ShownCounts } from "../open-loop/health-counts.ts";
import type { HookRun } from "../hooks/hook.ts";
import type { HookCommands } from "../hooks/hook-names.ts";
import type { OpenLoopOptions } from "../release/scenario.ts";
import type { FaultObservation, FaultRole, HealthChange } from "./observation.ts";
import { endedPerSecond, stillDraining } from "./pace.ts";
import { placeDead, placedTimers, placeEnded, slotsBeforeFault } from "./placed-jobs.ts";

export interface FaultScenarioOptions
  extends
    BookedRunOptions<FaultRole>,
    Pick<OpenLoopOptions, "hooks" | "durationMs" | "scale" | "mix" | "seed"> {}

/** What was seen of a scenario with a fault, and how it went. */
export interface FaultOutcome {
  readonly observation: FaultObservation;
  readonly lateness: Lateness;
  /** When the mix began, and how long it lasted. */
  readonly startMs: number;
  readonly schedule: FaultSchedule;
  readonly hooks: readonly HookRun[];
  /** Why the fault did not happen, or the run was stopped: then nothing is decided. */
  readonly undecided: string | undefined;
}

/** How long a target may take to answer once the fault has ended. */
export const backMsMax = 60_000;

/**
 * Runs a steady mix, brings the fault about in its middle, ends it, and then looks at every job. What was begun is ended
 * whatever happens.
 * @throws Inconclusive where it cannot start
 */
export async function runFaultScenario(
  scenario: FaultScenario,
  options: FaultScenarioOptions,
): Promise<FaultOutcome> {
  const run = await BookedRun.open<FaultRole>({
    ...options,
    refusesFirst: (role) => role === "called-again",
    wantsSecond: true,
  });
  const action = actionOf(scenario, run, options.hooks);
  const trial = new FaultTrial(scenario, run, options, action);
  try {
    return await trial.run();
  } finally {
    await action.end();
    trial.endExcuse();
    await run.close();
  }
}

function actionOf(
  scenario: FaultScenario,
  run: BookedRun<FaultRole>,
  hooks: HookCommands,
): FaultAction {
  const { toxiproxy, first: mix } = run;
  if (toxiproxy !== undefined) return faultOfNetwork(scenario.name, toxiproxy);
  if (scenario.name !== "worker-loss" || hooks["kill-workers"] !== undefined) {
    return faultByHooks(scenario, hooks);
  }
  return faultByCrashes(async () => {
    const workers = (await healthShown(mix))?.workers ?? 1;
    const crashes = Array.from({ length: workers }, async () =>
      mix.submit("run", { role: "crashing", input: inputs.crash() }),
    );
    await Promise.all(crashes);
  });
}

/** What health shows of each endpoint. */
type ShownHealth = readonly (readonly [string, ShownCounts | undefined])[];

class FaultTrial {
  readonly #scenario: FaultScenario;
  readonly #run: BookedRun<FaultRole>;
  readonly #options: FaultScenarioOptions;
  readonly #action: FaultAction;
  /** Until it is called, silence and 5xx say nothing about the target. */
  endExcuse: () => void = () => undefined;
  #faultMs: [number, number] = [Infinity, Infinity];
  #backMs: number | undefined;
  #failure: string | undefined;
  #isDraining = false;

  constructor(
    scenario: FaultScenario,
    run: BookedRun<FaultRole>,
    options: FaultScenarioOptions,
    action: FaultAction,
  ) {
    this.#scenario = scenario;
    this.#run = run;
    this.#options = options;
    this.#action = action;
  }

  async run(): Promise<FaultOutcome> {
    const { signal } = this.#options;
    const run = this.#run;
    const before = await this.#health();
    await placeEnded(run);
    const perSecond = await endedPerSecond(run);
    const noTimers = await placeDead(run);
    const streamed = run.streams
      ? await run.first.submit("run", { role: "completed", input: run.jobs.streaming(3, 50) })
      : undefined;
    const schedule = scheduleOf(this.#options.durationMs);
    const startMs = monotonicNowMs() + startsInMs;
    // A load without its fault says nothing.
    const failed = new AbortController();
    const loading = runOpenLoop(
      [
        ...slotsOf({
          mix: this.#mix(perSecond),
          durationMs: schedule.mixMs,
          startMs,
          run,
          role: "mix",
          seed: this.#options.seed,
          failed: run.jobsOf("retried"),
          streamed,
        }),
        ...slotsBeforeFault(run, { startMs, schedule, hasTimers: noTimers === undefined }),
      ],
      signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]),
    );
    const faulty = this.#fault(startMs + schedule.faultAtMs, schedule).catch((error: unknown) => {
      failed.abort();
      throw error;
    });
    const [lateness] = await Promise.all([loading, faulty]);
    if (this.#backMs !== undefined) await this.#lookAfterwards();
    const after = await this.#healthAfter(before);
    const undecided = signal?.aborted === true ? stopReason(signal) : this.#failure;
    return {
      lateness,
      startMs,
      schedule,
      hooks: this.#action.hooks,
      undecided,
      observation: {
        scenario: this.#scenario,
        jobs: run.book.jobs,
        requests: run.book.requests,
        faultMs: this.#faultMs,
        backMs: this.#backMs,
        endedMs: monotonicNowMs(),
        calls: run.receiver.calls,
        executions: run.tellsExecutions ? run.receiver.executions : undefined,
        health: changesOf(before, after),
        isAlone: run.isAlone,
        isDraining: this.#isDraining,
        ...placedTimers(noTimers),
      },
    };
  }

  /** The mix, with no more jobs than workers can end: a queue that grows would hide what becomes of it. */
  #mix(perSecond: number): Mix {
    const { mix = defaultMix, scale = 1 } = this.#options;
    const offered = offeredMix(scaledMix(mix, scale), this.#run);
    const { run: runs = 0, runsync = 0, cancel = 0 } = offered.operations;
    const share = Math.min(
      1,
      (shareOfWorkers * perSecond) / Math.max(1e-9, runs + runsync + cancel),
    );
    const fewer = { run: runs * share, runsync: runsync * share, cancel: cancel * share };
    return { ...offered, operations: { ...offered.operations, ...fewer } };
  }

  /** Brings the fault about at its moment, ends it, and waits until the target answers again. */
  async #fault(atMs: number, { faultMs }: FaultSchedule): Promise<void> {
    const { signal, meter } = this.#options;
    await this.#run.pause(Math.max(0, atMs - monotonicNowMs()));
    if (signal?.aborted === true) return;
    this.endExcuse = meter?.excuse?.() ?? this.endExcuse;
    this.#faultMs = [monotonicNowMs(), Infinity];
    this.#failure = await this.#action.begin();
    if (this.#failure === undefined && this.#lasts) await this.#run.pause(faultMs);
    const failedToEnd = await this.#action.end();
    this.#failure ??= failedToEnd;
    this.#faultMs = [this.#faultMs[0], monotonicNowMs()];
    this.#backMs = await this.#untilBack();
    if (this.#backMs === undefined) return;
    const { jobs, first: mix } = this.#run;
    await this.#run.pause(keptAfterMs);
    await mix.submit("runsync", { role: "kept-after", input: jobs.quick("kept, too") });
    const timed = [...this.#run.jobsOf("timed"), ...this.#run.jobsOf("waiting")];
    await this.#run.readUntil(timed, isSettled, { longestMs: timersMsMax });
  }

  /** Whether the fault goes on until it is ended. */
  get #lasts(): boolean {
    return this.#scenario.isOfNetwork === true || this.#scenario.end !== undefined;
  }

  async #untilBack(): Promise<number | undefined> {
    const endMs = monotonicNowMs() + backMsMax;
    while (monotonicNowMs() < endMs && this.#options.signal?.aborted !== true) {
      const { answer, answeredAtMs } = await this.#run.first.health();
      if (answer !== undefined && answer.status < 500) return answeredAtMs;
      await this.#run.pause(askEveryMs);
    }
    return undefined;
  }

  /** Reads every job until it has ended, awaits webhooks, and watches how long results of runsync are kept. */
  async #lookAfterwards(): Promise<void> {
    const run = this.#run;
    const { jobs } = run.book;
    const [, toMs] = this.#faultMs;
    await Promise.all([
      this.#occupiersEnd(),
      run.read(
        jobs.filter(
          ({ id, sightings }) => id !== undefined && (sightings.at(-1)?.sentMs ?? 0) < toMs,
        ),
      ),
    ]);
    this.#isDraining = await stillDraining(run);
    await this.#untilCalled();
    const kept = [...run.jobsOf("kept-before"), ...run.jobsOf("kept-after")];
    const isGone = ({ sightings }: (typeof kept)[number]): boolean =>
      sightings.at(-1)?.record === undefined;
    await run.readUntil(kept, isGone, { longestMs: keptMsMax, everyMs: 1_000 });
  }

  /** Jobs that work for minutes are not waited for. */
  async #occupiersEnd(): Promise<void> {
    for (const job of this.#run.jobsOf("occupying")) {
      if (job.cancelledMs === undefined && job.id !== undefined)
        await this.#run.clientOf(job).cancel(job);
    }
  }

  /** A call that failed is made again after 10 s (HOOK-05). */
  async #untilCalled(): Promise<void> {
    const { receiver, book } = this.#run;
    const endMs = monotonicNowMs() + callMsMax;
    const due = book.jobs.filter(
      ({ hasWebhook, sightings }) => hasWebhook && sightings.at(-1)?.record?.status === "COMPLETED",
    );
    const isCalled = (number: number): boolean =>
      receiver.calls.some((call) => call.number === number && call.answered === 200);
    while (monotonicNowMs() < endMs && !due.every(({ number }) => isCalled(number))) {
      if (this.#options.signal?.aborted === true) return;
      await this.#run.pause(askEveryMs);
    }
  }

  /** Health once it shows no more jobs than before, or after ten looks. */
  async #healthAfter(before: ShownHealth): Promise<ShownHealth> {
    const atFirst = new Map(before);
    for (let look = 1; ; look += 1) {
      const shown = await this.#health();
      const isQuiet = shown.every(([endpointId, counts]) => {
        const was = atFirst.get(endpointId);
        if (counts === undefined || was === undefined) return true;
        return counts.inQueue <= was.inQueue && counts.inProgress <= was.inProgress;
      });
      if (isQuiet || look === healthLooksMax || this.#backMs === undefined) return shown;
      await this.#run.pause(1_000);
    }
  }

  async #health(): Promise<ShownHealth> {
    const clients = [
      this.#run.first,
      ...(this.#run.second === undefined ? [] : [this.#run.second]),
    ];
    return Promise.all(
      clients.map(
        async (client) => [client.client.options.endpointId, await healthShown(client)] as const,
      ),
    );
  }
}

const healthLooksMax = 10;

/** How much of what workers can end is submitted. */
const shareOfWorkers = 0.6;
const startsInMs = 200;
const askEveryMs = 100;
const keptAfterMs = 3_000;
const timersMsMax = 40_000;
const callMsMax = 13_000;
const keptMsMax = afterwardsMs - 5_000;

function changesOf(before: ShownHealth, after: ShownHealth): readonly HealthChange[] {
  const atEnd = new Map(after);
  return before.map(([endpointId, counts]) => ({
    endpointId,
    before: counts,
    after: atEnd.get(endpointId),
  }));
}
