export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  readonly stop: () => void;
}

/** The exit code of a run that was interrupted. */
export const interruptedExitCode = 130;

const signals: readonly (string | symbol)[] = ["SIGINT", "SIGTERM"];

/**
 * Listens for SIGINT and SIGTERM until `stop`: the first aborts the signal, so that what was started
 * can be closed and the report be written; the second ends the process at once.
 */
export function listenForInterruption(onFirst: () => void = () => undefined): Interruption {
  const controller = new AbortController();
  for (const name of signals) process.off(name, rememberEarly);
  if (interruptedEarly) controller.abort();
  interruptedEarly = false;
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(interruptedExitCode);
    controller.abort();
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

let interruptedEarly = false;

/** Remembers a signal that comes while the program is still loading, for `listenForInterruption`. */
export function listenEarly(): void {
  for (const name of signals) process.on(name, rememberEarly);
}

function rememberEarly(): void {
  if (interruptedEarly) process.exit(interruptedExitCode);
  interruptedEarly = true;
}
