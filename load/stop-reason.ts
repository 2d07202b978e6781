/** Why a load was stopped: a signal is aborted with a text, or by an interruption, which has none. */
export function stopReason({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : "the run was stopped";
}
