import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** How a run learns of Ctrl-C, SIGTERM and a closed terminal. */
export interface Interruption {
  /** Aborted by the first of these signals. */
  readonly signal: AbortSignal;
  /** Stops listening; a signal has no effect any more. */
  readonly stop: () => void;
}

/** The exit code of a run that was interrupted. */
export const interruptedExitCode = 130;

/** A stopped run ends within 10 s (docs/options.md#exit-codes): at this time the process exits in any case. */
const endingMsMax = 9500;
/** How long the run itself may take after the signal, so that time is left to write its report. */
const stoppingMsMax = 800;

/** SIGHUP comes when a terminal is closed: to a program of Node also under nohup. */
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `timeout` of coreutils, and a terminal with npx, send one signal to the process and to its group: it comes twice. */
const sameSignalMs = 100;

let firstSignalAtMs: number | undefined;

/** Notes a signal, and tells whether it is a second one, which ends the process at once. */
function isSecondSignal(): boolean {
  const nowMs = performance.now();
  firstSignalAtMs ??= nowMs;
  return nowMs - firstSignalAtMs >= sameSignalMs;
}

/** Records a signal that comes while the program is still loading, for `listenForInterruption`. */
export function listenEarly(): void {
  for (const name of signals) process.on(name, rememberEarly);
}

/** The exit code of a run in which this program itself broke (docs/options.md#exit-codes). */
const brokenExitCode = 3;

/**
 * Ends the process over an error that nothing awaited. Node would end it with exit code 1, which says that a requirement
 * failed. A run that is under way first writes what was decided, as after a signal.
 */
export function endAsBroken(error: unknown): void {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`error: queueproof itself broke: ${why}\n`);
  process.once("exit", () => void (process.exitCode = brokenExitCode));
  if (process.listenerCount("SIGTERM") > 0) process.kill(process.pid, "SIGTERM");
  else process.exit(brokenExitCode);
}

function rememberEarly(): void {
  if (isSecondSignal()) process.exit(interruptedExitCode);
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP until `stop`. The first one aborts the signal, so that resources can be closed
 * and the report written; after `endingMs` the process exits in any case. The second one ends the process at once.
 */
export function listenForInterruption(
  onFirst: () => void = () => undefined,
  endingMs = endingMsMax,
): Interruption {
  const controller = new AbortController();
  for (const name of signals) process.off(name, rememberEarly);
  if (firstSignalAtMs !== undefined) {
    controller.abort();
    endInTime(endingMs);
  }
  const interrupt = (): void => {
    if (isSecondSignal()) process.exit(interruptedExitCode);
    if (controller.signal.aborted) return;
    controller.abort();
    endInTime(endingMs);
    onFirst();
  };
  for (const name of signals) process.on(name, interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      firstSignalAtMs = undefined;
      // Without any listener a signal would end the process before its exit code is set.
      for (const name of signals) process.off(name, ignore).on(name, ignore).off(name, interrupt);
    },
  };
}

function ignore(): void {}

/**
 * Call this when the exit code is set: a later signal then ends the process at once with that code. While Node takes
 * itself apart after its last event nothing listens to signals, so the process exits at that event.
 */
export function endWithExitCode(): void {
  for (const name of signals) process.on(name, () => process.exit());
  process.once("beforeExit", () => process.exit());
}

/** Returns the task's result, or that of `instead` where the task has not ended soon after the signal. */
export async function endedInTime<Result>(
  task: Promise<Result>,
  signal: AbortSignal,
  instead: () => Result,
): Promise<Result> {
  const ended = new AbortController();
  const stopped = async (): Promise<Result> => {
    if (!signal.aborted) await once(signal, "abort", { signal: ended.signal });
    await sleep(stoppingMsMax, undefined, { signal: ended.signal });
    return instead();
  };
  // An error of the task after its time is ignored.
  task.catch(() => undefined);
  const late = stopped();
  late.catch(() => undefined);
  try {
    return await Promise.race([task, late]);
  } finally {
    ended.abort();
  }
}

/** The timer does not keep a process alive that has nothing left to do. */
function endInTime(endingMs: number): void {
  setTimeout(() => process.exit(interruptedExitCode), endingMs).unref();
}
