import type { Needed } from "./sent-load.ts";

/** Is told of every request while load is sent, so that progress can be shown and the load stopped. */
export interface LoadMeter {
  /** @param request its method and path, such as `POST /v2/abc/run`, or another text that names it. */
  readonly sent: (request: string) => void;
  /**
   * @param status of the answer; 0 where none came.
   * @param request the same text that `sent` was told.
   */
  readonly answered: (status: number, request: string) => void;
  /** Whether the target answers; if it does not, waits until it does or is gone for good. */
  readonly isThere: () => Promise<boolean>;
  /** Why a load of this size may not be sent; absent or undefined where it may. */
  readonly whyTooMuch?: (needed: Needed) => string | undefined;
}

/** What watches over requests of load, as far as anything does. */
export interface LoadSupervision {
  /** Is told of every request. */
  readonly meter?: LoadMeter | undefined;
  /** Nothing is sent or waited for any more once it is aborted. */
  readonly signal?: AbortSignal | undefined;
}
