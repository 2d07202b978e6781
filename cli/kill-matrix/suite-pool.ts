import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Subject, SuiteOrder, SuiteReply, SuiteRun } from "./suite-job.ts";

export interface PoolOptions {
  /** Default: one for each core, at most four. */
  readonly processes?: number;
  /** How many suites one process runs at once. Default 2: one works while the other waits. */
  readonly suitesEach?: number;
  /** A suite that takes longer has hung, and its process is given up. Default five minutes. */
  readonly suiteMsMax?: number;
}

const suiteProcess = fileURLToPath(
  // As TypeScript in the repository and as JavaScript in the package.
  new URL(`./suite-process.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url),
);

/**
 * Runs the suite once for each subject, in processes of its own so that every core has work.
 * The runs come in the order of the subjects; `onRun` is called as each ends. A suite that hangs or
 * breaks its process is a run that says so.
 */
export async function runSuites(
  subjects: readonly Subject[],
  onRun: (subject: Subject, run: SuiteRun) => void,
  {
    processes = Math.min(4, availableParallelism()),
    suitesEach = 2,
    suiteMsMax = 300_000,
  }: PoolOptions = {},
): Promise<readonly SuiteRun[]> {
  const waiting = subjects.map((subject, id): SuiteOrder => ({ id, subject }));
  const runs = new Map<number, SuiteRun>();
  const workOff = async (lane: Lane): Promise<void> => {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      const run = await lane.run(order, suiteMsMax);
      runs.set(order.id, run);
      onRun(order.subject, run);
    }
  };
  const lanes = Array.from({ length: Math.min(processes, subjects.length) }, () => new Lane());
  try {
    await Promise.all(
      lanes.flatMap((lane) => Array.from({ length: suitesEach }, async () => workOff(lane))),
    );
  } finally {
    for (const lane of lanes) lane.stop();
  }
  return subjects.map((_subject, id) => runs.get(id) ?? nothing("it was not run"));
}

/** One process, made anew when a suite has broken it. */
class Lane {
  readonly #pending = new Map<number, (run: SuiteRun) => void>();
  #process: ChildProcess | undefined;

  async run(order: SuiteOrder, msMax: number): Promise<SuiteRun> {
    const child = this.#running();
    return new Promise((resolve) => {
      const hung = setTimeout(() => {
        this.#giveUp(child, `a suite did not end within ${msMax} ms`);
      }, msMax);
      this.#pending.set(order.id, (run) => {
        clearTimeout(hung);
        this.#pending.delete(order.id);
        resolve(run);
      });
      child.send(order);
    });
  }

  stop(): void {
    this.#process?.removeAllListeners();
    this.#process?.kill();
    this.#process = undefined;
  }

  #running(): ChildProcess {
    if (this.#process !== undefined) return this.#process;
    const child = fork(suiteProcess, [], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.on("message", ({ id, run }: SuiteReply) => this.#pending.get(id)?.(run));
    child.once("error", (error) => this.#giveUp(child, error.message));
    child.once("exit", (code) => this.#giveUp(child, `its process ended (${String(code)})`));
    this.#process = child;
    return child;
  }

  #giveUp(child: ChildProcess, why: string): void {
    if (this.#process !== child) return;
    this.stop();
    for (const conclude of this.#pending.values()) conclude(nothing(why));
  }
}

function nothing(failed: string): SuiteRun {
  return { findings: [], failed };
}
