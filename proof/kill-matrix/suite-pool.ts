import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Subject, SuiteOrder, SuiteReply, SuiteRun } from "./suite-job.ts";

export interface SuitePoolOptions {
  /** Called as each run ends. */
  readonly onRun?: (subject: Subject, run: SuiteRun) => void;
  /** Default: one for each core, at most four. */
  readonly processes?: number;
  /** How many suites one process runs at once. Default 2: one works while the other waits. */
  readonly suitesEach?: number;
  /** A suite that takes longer has hung, and its process is given up. Default a quarter of an hour: other work may leave it little of a core. */
  readonly suiteMsMax?: number;
}

const suiteProgram = fileURLToPath(new URL("./suite-process.js", import.meta.url));

/**
 * Runs the suite once for each subject, in several processes so that every core has work. The runs come in the order of
 * the subjects. A suite that hangs or breaks its process gives a run that says so; those beside it in the same process
 * are run again.
 */
export async function runSuites(
  subjects: readonly Subject[],
  {
    onRun,
    processes = Math.min(4, availableParallelism()),
    suitesEach = 2,
    suiteMsMax = 1_800_000,
  }: SuitePoolOptions = {},
): Promise<readonly SuiteRun[]> {
  const waiting = subjects.map((subject, id): SuiteOrder => ({ id, subject }));
  const runs = new Map<number, SuiteRun>();
  const runWaiting = async (suiteProcess: SuiteProcess): Promise<void> => {
    for (let order = waiting.shift(); order !== undefined; order = waiting.shift()) {
      const run = await suiteProcess.run(order, suiteMsMax);
      if (run === undefined) {
        waiting.push(order);
        continue;
      }
      runs.set(order.id, run);
      onRun?.(order.subject, run);
    }
  };
  const suiteProcesses = Array.from(
    { length: Math.min(processes, subjects.length) },
    () => new SuiteProcess(),
  );
  try {
    await Promise.all(
      suiteProcesses.flatMap((each) =>
        Array.from({ length: suitesEach }, async () => runWaiting(each)),
      ),
    );
  } finally {
    for (const each of suiteProcesses) each.stop();
  }
  return subjects.map((_subject, id) => runs.get(id) ?? failedRun("it was not run"));
}

/** Runs the suite once for the subject of each item, and returns the items with their runs, in the same order. */
export async function tryEach<Item>(
  items: readonly Item[],
  subjectOf: (item: Item) => Subject,
  options?: SuitePoolOptions,
): Promise<readonly { readonly item: Item; readonly run: SuiteRun }[]> {
  const runs = await runSuites(items.map(subjectOf), options);
  return items.map((item, at) => ({ item, run: runs[at] ?? failedRun("it was not run") }));
}

/** One process that runs suites; a new one is started after a suite has broken it. */
class SuiteProcess {
  readonly #pending = new Map<number, (run: SuiteRun | undefined) => void>();
  #process: ChildProcess | undefined;

  /** Gives `undefined` where another suite hung, so that the process had to be given up. */
  async run(order: SuiteOrder, msMax: number): Promise<SuiteRun | undefined> {
    const child = this.#running();
    return new Promise((resolve) => {
      const hung = setTimeout(() => {
        this.#pending.get(order.id)?.(failedRun(`the suite did not end within ${msMax} ms`));
        this.#giveUp(child);
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
    const child = fork(suiteProgram, [], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.on("message", ({ id, run }: SuiteReply) => this.#pending.get(id)?.(run));
    child.once("error", (error) => this.#giveUp(child, error.message));
    child.once("exit", (code) => this.#giveUp(child, `its process ended (${String(code)})`));
    this.#process = child;
    return child;
  }

  /** @param why what broke the process, by which of its suites nobody knows; absent: one that has been told of */
  #giveUp(child: ChildProcess, why?: string): void {
    if (this.#process !== child) return;
    this.stop();
    for (const conclude of this.#pending.values()) {
      conclude(why === undefined ? undefined : failedRun(why));
    }
  }
}

function failedRun(failed: string): SuiteRun {
  return { findings: [], failed };
}
