import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { monotonicNowMs } from "../../client/exchange.ts";
import { startProgram } from "../program.ts";
import type { EndedProgram, ProgramStart, RunningProgram } from "../program.ts";

/** `{env}` among the program's arguments is the file of what it is told. */
export interface WorkerProcessesOptions extends Omit<ProgramStart, "isShown" | "onPrinted"> {
  /** How many run at the same time. */
  readonly count: number;
  /** What every process is told, without the id that is its own. */
  readonly told: Readonly<Record<string, string>>;
  readonly onPrinted: (workerId: string, text: string) => void;
  /** Whether another process takes the place of one that has ended. */
  readonly isReplaced: (ended: WorkerProcess) => boolean;
}

/** A process of the worker, and how it ended where it has. */
export interface WorkerProcess {
  readonly id: string;
  readonly startedMs: number;
  readonly program: RunningProgram;
  end?: EndedProgram & { readonly atMs: number };
  /** Whether we have told it to end. */
  isEndedHere?: true;
}

/** A worker that ends at once is started anew this often, and no more. */
const replacedAfterMs = 200;

/** Starts the processes of a worker, starts another where one has ended, and ends them with all that they started. */
export class WorkerProcesses {
  readonly all: WorkerProcess[] = [];
  readonly #options: WorkerProcessesOptions;
  readonly #folder: string;
  #isStopped = false;

  /** @throws ProgramStartError where the program cannot be started */
  static async start(options: WorkerProcessesOptions): Promise<WorkerProcesses> {
    const folder = await mkdtemp(join(tmpdir(), "queueproof-worker-"));
    const processes = new WorkerProcesses(options, folder);
    try {
      for (let started = 0; started < options.count; started += 1) await processes.#start();
      return processes;
    } catch (error) {
      await processes.stop();
      throw error;
    }
  }

  private constructor(options: WorkerProcessesOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
  }

  /** Those that have not ended. */
  get running(): readonly WorkerProcess[] {
    return this.all.filter(({ end }) => end === undefined);
  }

  /** Ends a process, so that another takes its place. Settles when it is gone. */
  async end(process: WorkerProcess): Promise<void> {
    process.isEndedHere = true;
    await this.#removeContainer(process.id);
    process.program.stop();
    await process.program.ended;
  }

  /** Ends all of them, and settles when they are gone. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.running.map(async (each) => this.end(each)));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #start(): Promise<void> {
    const { environment, workingDirectory, onPrinted } = this.#options;
    const id = `worker-${this.all.length + 1}`;
    const told = { ...this.#options.told, RUNPOD_POD_ID: id };
    const program = await startProgram({
      command: await this.#commandFor(id, told),
      environment: { ...environment, ...told },
      workingDirectory,
      onPrinted: (text) => onPrinted(id, text),
    });
    const started: WorkerProcess = { id, startedMs: monotonicNowMs(), program };
    this.all.push(started);
    void this.#replaceAfterEnd(started);
  }

  async #replaceAfterEnd(ended: WorkerProcess): Promise<void> {
    ended.end = { ...(await ended.program.ended), atMs: monotonicNowMs() };
    if (this.#isStopped || !this.#options.isReplaced(ended)) return;
    await pause(replacedAfterMs);
    // The program was started before: that it is gone now is seen by the worker that does not come.
    if (!this.#isStopped) await this.#start().catch(() => undefined);
  }

  async #commandFor(
    id: string,
    told: Readonly<Record<string, string>>,
  ): Promise<readonly [string, ...string[]]> {
    const [file, ...words] = this.#options.command;
    const path = join(this.#folder, `${id}.env`);
    // A file for docker has one variable in each line.
    const lines = Object.entries(told).filter(([, value]) => !value.includes("\n"));
    await writeFile(path, lines.map(([name, value]) => `${name}=${value}\n`).join(""), {
      mode: 0o600,
    });
    const given = words.map((word) => word.replaceAll("{env}", path));
    if (!isContainerRun(this.#options.command)) return [file, ...given];
    const [run = "run", ...rest] = given;
    return [file, run, "--cidfile", this.#idFileOf(id), ...rest];
  }

  /** The end of `docker run` does not end its container. */
  async #removeContainer(id: string): Promise<void> {
    const { command } = this.#options;
    if (!isContainerRun(command)) return;
    const containerId = await readFile(this.#idFileOf(id), "utf8").catch(() => "");
    if (containerId === "") return;
    const remove = promisify(execFile)(command[0], ["rm", "--force", containerId]);
    await remove.catch(() => undefined);
  }

  #idFileOf(id: string): string {
    return join(this.#folder, `${id}.cid`);
  }
}

function isContainerRun([file, first]: readonly string[]): boolean {
  return first === "run" && /^(?:docker|podman)$/.test(basename(file ?? ""));
}
