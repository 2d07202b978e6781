import { setTimeout as sleep } from "node:timers/promises";

/** What a run hears of Ctrl-C and SIGTERM. */
export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  readonly stop: () => void;
}

/** The exit code of a run that was interrupted. */
export const interruptedExitCode = 130;

/** A run that was stopped ends within 2 s (docs/options.md#exit-codes): then the process ends as it stands. */
const endingMsMax = 1900;
/** How long after the signal the run itself may take to end, so that time is left to write its report. */
const stoppingMsMax = 800;

const signals = ["SIGINT", "SIGTERM"] as const;

let interruptedEarly = false;

/** Remembers a signal that comes while the program is still loading, for `listenForInterruption`. */
export function listenEarly(): void {
  for (const name of signals) process.on(name, rememberEarly);
}

function rememberEarly(): void {
  if (interruptedEarly) process.exit(interruptedExitCode);
  interruptedEarly = true;
}

/**
 * Listens for SIGINT and SIGTERM until `stop`: the first aborts the signal, so that what was started can be closed and
 * the report be written, and ends the process 2 s later whatever it is doing; the second ends it at once.
 */
export function listenForInterruption(onFirst: () => void = () => undefined): Interruption {
  const controller = new AbortController();
  for (const name of signals) process.off(name, rememberEarly);
  if (interruptedEarly) {
    controller.abort();
    endInTime();
  }
  interruptedEarly = false;
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(interruptedExitCode);
    controller.abort();
    endInTime();
    onFirst();
  };
  for (const name of signals) process.on(name, interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      for (const name of signals) process.off(name, interrupt);
    },
  };
}

/** To be called when the exit code is set: a signal that comes then ends the process with it, and at once. */
export function endWithExitCode(): void {
  for (const name of signals) process.on(name, () => process.exit());
}

/** What a task gives, or what is put in its place where the task has not ended soon after the signal. */
export async function endedInTime<Result>(
  task: Promise<Result>,
  signal: AbortSignal,
  instead: () => Result,
): Promise<Result> {
  const ended = new AbortController();
  const stopped = async (): Promise<Result> => {
    await aborted(signal, ended.signal);
    await sleep(stoppingMsMax, undefined, { signal: ended.signal });
    return instead();
  };
  // What it fails with after its time is nobody's concern any more.
  task.catch(() => undefined);
  const late = stopped();
  late.catch(() => undefined);
  try {
    return await Promise.race([task, late]);
  } finally {
    ended.abort();
  }
}

async function aborted(signal: AbortSignal, until: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener("abort", () => resolve(), { once: true, signal: until });
    until.addEventListener("abort", () => reject(new Error("no signal came")), { once: true });
  });
}

/** The timer does not keep a process alive that has nothing left to do. */
function endInTime(): void {
  setTimeout(() => process.exit(interruptedExitCode), endingMsMax).unref();
}
