export interface Interruption {
  /** Aborted by the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Stops listening. */
  readonly stop: () => void;
}

/** The exit code of a run that was interrupted. */
export const interruptedExitCode = 130;

/**
 * Listens for SIGINT and SIGTERM until `stop`: the first aborts the signal, so that what
 * was started can be closed and the report be written; the second ends the process at once.
 */
export function listenForInterruption(onFirst: () => void = () => undefined): Interruption {
  const controller = new AbortController();
  const interrupt = (): void => {
    if (controller.signal.aborted) process.exit(interruptedExitCode);
    controller.abort();
    onFirst();
  };
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    stop: () => {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
