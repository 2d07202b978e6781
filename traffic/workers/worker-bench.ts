import { setTimeout as pause } from "node:timers/promises";
import { JobClient } from "../../client/job-client.ts";
import { monotonicNowMs } from "../../client/exchange.ts";
import type { Redactor } from "../../client/redactor.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { Transport } from "../../client/transport.ts";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import { specified } from "../../reference/behaviour.ts";
import { inDialect } from "../../reference/dialects.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { workerEnvironment } from "../../reference/worker-protocol/fleet.ts";
import type { ProgramStart } from "../program.ts";
import { startRelay } from "../recording/relay.ts";
import type { Relay } from "../recording/relay.ts";
import { watchMemory } from "./group-memory.ts";
import { PrintedLines } from "./printed-lines.ts";
import type { JobRequest } from "./worker-call.ts";
import { WorkerProcesses } from "./worker-processes.ts";
import type { WorkerProcess } from "./worker-processes.ts";
import { stopWithinMs } from "./whole-rules.ts";
import type { JobEnd, JobRun } from "./worker-test.ts";
import { endOf, jobEndOf, WorkerWatch } from "./worker-watch.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";

export interface WorkerBenchOptions {
  readonly program: ProgramStart;
  readonly workers: number;
  /** What the tests' file gives to the program. */
  readonly testEnvironment: Readonly<Record<string, string>>;
  readonly startWithinMs: number;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
}

/** A job to be run. */
export interface JobToRun extends Pick<JobRun, "name" | "test" | "purpose"> {
  readonly input?: JobTest["input"];
  readonly policy?: Readonly<Record<string, number>>;
  /** Cancelled so long after it was taken. */
  readonly cancelAfterMs?: number;
  /** Its worker is told to stop so long after it was taken. */
  readonly stopAfterMs?: number;
}

/** Far more than a worker on a busy machine needs to ask again; the library waits for a second. */
const backWithinMs = 30_000;
/** A handler whose time is over is told to stop; one that does not is ended. */
const lateBackWithinMs = 5_000;
/** The service is not to lose a job while it is judged: the silence of a worker is judged by itself. */
const silenceMs = 600_000;
/** Short, since a worker that is told to stop awaits the end of its poll. */
const holdMs = 2_000;
const pingMs = 1_000;
/** What was sent before a request for a job may be recorded after it. */
const settleMs = 150;

/** The service that a worker works for while it is judged, and the worker's processes. */
export class WorkerBench {
  readonly watch = new WorkerWatch();
  readonly lines = new PrintedLines();
  readonly startedMs = monotonicNowMs();
  readonly #options: WorkerBenchOptions;
  readonly #reference: Reference;
  readonly #relay: Relay;
  readonly #transport: Transport;
  readonly #client: JobClient;
  #processes: WorkerProcesses | undefined;

  /** @throws ProgramStartError where the program cannot be started */
  static async open(options: WorkerBenchOptions): Promise<WorkerBench> {
    const reference = await startReference({
      control: false,
      behaviour: inDialect("runpod", specified) ?? specified,
      externalWorkers: { silenceMs, holdMs },
    });
    const bench: WorkerBench = new WorkerBench(
      options,
      reference,
      await startRelay({
        baseUrl: reference.baseUrl,
        troubleFor: (request) => {
          bench.watch.arrived(request);
          return undefined;
        },
        onExchange: (exchange) => bench.watch.ended(exchange),
      }),
    );
    try {
      await bench.#startProcesses();
      return bench;
    } catch (error) {
      await bench.close();
      throw error;
    }
  }

  private constructor(options: WorkerBenchOptions, reference: Reference, relay: Relay) {
    this.#options = options;
    this.#reference = reference;
    this.#relay = relay;
    const { baseUrl } = relay;
    const transport = new Transport(rulesFor({ baseUrl }));
    this.#transport = transport;
    const { endpointId, apiKey } = reference;
    const { redactor } = options;
    this.#client = new JobClient({ transport, redactor, baseUrl, endpointId, apiKey });
  }

  get apiKey(): string {
    return this.#reference.apiKey;
  }

  get processes(): readonly WorkerProcess[] {
    return this.#processes?.all ?? [];
  }

  /** Awaits that every process has asked for a job; undefined where one does not, or has ended. */
  async started(): Promise<number | undefined> {
    const { startWithinMs } = this.#options;
    const isHere = ({ id }: WorkerProcess): boolean => this.#hasAsked(id);
    const first = this.processes.slice(0, this.#options.workers);
    const seen = await this.#until<"here" | "ended">(
      () => {
        if (first.every(isHere)) return "here";
        return first.some((each) => each.end !== undefined && !isHere(each)) ? "ended" : undefined;
      },
      startWithinMs - (monotonicNowMs() - this.startedMs),
    );
    if (seen !== "here") return undefined;
    const asked = this.watch.requests.map(({ atMs }) => atMs);
    return Math.min(...asked) - this.startedMs;
  }

  /** Whether no process is left, and none takes their place. */
  get isGone(): boolean {
    return this.processes.every(({ id, end }) => end !== undefined && !this.#hasAsked(id));
  }

  /** Submits a job, awaits what the worker makes of it and that a worker asks for the next, and tells what was seen. */
  async run(job: JobToRun): Promise<JobRun> {
    await this.#until(() => this.#openRequest(), this.#options.startWithinMs);
    const from = this.watch.exchanges.length;
    const submittedMs = monotonicNowMs();
    const jobId = await this.#submit(job);
    const memory = watchMemory(() =>
      (this.#processes?.running ?? []).map(({ program }) => program.pid),
    );
    const taken = await this.#taken(jobId);
    const end = taken === undefined ? ({ kind: "untaken" } as const) : await this.#end(job, jobId);
    const endedMs = end.kind === "told" ? endOf(end.call.exchange) : monotonicNowMs();
    if (end.kind !== "told") await this.#client.cancel(jobId);
    const limitMs = end.kind === "late" ? lateBackWithinMs : backWithinMs;
    const back = await this.#back(taken?.workerId, endedMs, limitMs);
    const { peakBytes, lastBytes } = await memory.stop();
    const record = await this.#record(jobId);
    const calls = this.watch.calls.filter(({ jobIds }) => jobIds.includes(jobId));
    return {
      name: job.name,
      test: job.test,
      purpose: job.purpose,
      input: job.input ?? job.test.input,
      jobId,
      submittedMs,
      takenMs: taken === undefined ? undefined : endOf(taken.exchange),
      endedMs,
      end,
      record,
      exchanges: this.watch.exchanges.slice(from).filter(({ target }) => target.includes(jobId)),
      calls,
      resultBytes: end.kind === "told" ? end.call.exchange.body.bytes.length : 0,
      peakMemoryBytes: peakBytes,
      memoryBytes: lastBytes,
      backMs: back?.atMs,
      printed: this.lines.between(submittedMs, monotonicNowMs()),
    };
  }

  /** What `/stream` tells of a job that has ended. */
  async streamed(jobId: string): Promise<readonly unknown[]> {
    const chunks: unknown[] = [];
    for (let reads = 0; reads < streamReadsMax; reads += 1) {
      const { answer } = await this.#client.stream(jobId);
      const body = objectOf(answer?.rawText());
      const listed: readonly unknown[] = Array.isArray(body["stream"]) ? body["stream"] : [];
      chunks.push(...listed);
      if (listed.length === 0) break;
    }
    return chunks;
  }

  /** Tells a process to stop, and awaits its end; undefined where it did not end in so many milliseconds. */
  async terminated(process: WorkerProcess, limitMs: number): Promise<number | undefined> {
    const fromMs = monotonicNowMs();
    this.#tellToStop(process);
    const end = await this.#until(() => process.end, limitMs);
    return end === undefined ? undefined : end.atMs - fromMs;
  }

  #tellToStop(process: WorkerProcess | undefined): void {
    if (process === undefined || process.end !== undefined) return;
    process.isEndedHere = true;
    process.program.terminate();
  }

  /** The process that has taken a job. */
  #processWith(jobId: string): WorkerProcess | undefined {
    const taken = this.#takeOf(jobId);
    return this.processes.find(({ id }) => id === taken?.workerId);
  }

  async close(): Promise<void> {
    await this.#processes?.stop();
    await this.#relay.stop();
    await this.#transport.close();
    await this.#reference.stop();
  }

  async #startProcesses(): Promise<void> {
    const { program, workers, testEnvironment } = this.#options;
    const { endpointId: id, apiKey } = this.#reference;
    const service = workerEnvironment(this.#relay.baseUrl, { id, apiKey }, { silenceMs });
    this.#processes = await WorkerProcesses.start({
      ...program,
      count: workers,
      told: { ...testEnvironment, ...service, RUNPOD_PING_INTERVAL: String(pingMs) },
      onPrinted: (workerId, text) => this.lines.add(workerId, text),
      // One that ends before it asks for a job would do so again.
      isReplaced: ({ id: ended }) => {
        this.watch.changed();
        return this.#hasAsked(ended);
      },
    });
  }

  #hasAsked(id: string): boolean {
    return this.watch.requests.some(({ workerId }) => workerId === id);
  }

  #until<Found>(look: () => Found | undefined, limitMs: number): Promise<Found | undefined> {
    return this.watch.until(look, limitMs, this.#options.signal);
  }

  async #submit({ test, input = test.input, policy }: JobToRun): Promise<string> {
    const { answer } = await this.#client.run({ input, ...(policy !== undefined && { policy }) });
    const { id } = objectOf(answer?.rawText());
    if (typeof id !== "string") throw new Error("the reference took no job");
    return id;
  }

  #taken(jobId: string): Promise<WorkerWatch["calls"][number] | undefined> {
    const limitMs = Math.max(this.#options.startWithinMs, backWithinMs);
    return this.#until(() => this.#takeOf(jobId), limitMs);
  }

  /** The call by which a worker took a job. */
  #takeOf(jobId: string): WorkerWatch["calls"][number] | undefined {
    return this.watch.calls.find(({ kind, jobIds }) => kind === "take" && jobIds.includes(jobId));
  }

  /** Awaits the end of a job that was taken. */
  async #end({ test, cancelAfterMs, stopAfterMs }: JobToRun, jobId: string): Promise<JobEnd> {
    if (cancelAfterMs !== undefined) {
      await this.#until(() => this.#endOf(jobId), cancelAfterMs);
      await this.#client.cancel(jobId);
    }
    if (stopAfterMs !== undefined) {
      await this.#until(() => this.#endOf(jobId), stopAfterMs);
      this.#tellToStop(this.#processWith(jobId));
    }
    const limitMs = stopAfterMs === undefined ? test.timeoutMs : stopWithinMs;
    const found = await this.#until(() => this.#endOf(jobId), limitMs);
    if (found === undefined) return { kind: "late" };
    if (found.kind === "told") return found;
    // What it told before it asked again, or died, may be recorded a moment later.
    await pause(settleMs);
    return this.#endOf(jobId) ?? found;
  }

  #endOf(jobId: string): JobEnd | undefined {
    return jobEndOf(jobId, this.watch, this.processes);
  }

  /** The last request for a job of a process that still has one open. */
  #openRequest(): JobRequest | undefined {
    const open = this.processes.find(({ id, end }) => {
      const asked = this.watch.requests.filter(({ workerId }) => workerId === id);
      const answered = this.watch.calls.filter(
        ({ kind, workerId }) => kind === "take" && workerId === id,
      );
      return end === undefined && asked.length > answered.length;
    });
    return this.watch.requests.findLast(({ workerId }) => workerId === open?.id);
  }

  /** Awaits that the worker asks for a job; where it was told of none, it is ended and another takes its place. */
  async #back(
    workerId: string | undefined,
    fromMs: number,
    limitMs: number,
  ): Promise<JobRequest | undefined> {
    const hasNext = (): JobRequest | undefined => {
      const open = this.#openRequest();
      return open ?? this.watch.requests.find(({ atMs }) => atMs > fromMs);
    };
    const back = await this.#until(hasNext, limitMs);
    const process = this.processes.find(({ id }) => id === workerId);
    if (back === undefined && process !== undefined && process.end === undefined) {
      await this.#processes?.end(process);
    }
    return back;
  }

  async #record(jobId: string): Promise<JobRun["record"]> {
    const { answer } = await this.#client.status(jobId);
    return objectOf(answer?.rawText());
  }
}

const streamReadsMax = 1_000;

function objectOf(text = ""): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  return isJsonObject(value) ? value : {};
}
