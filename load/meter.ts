import type { Needed } from "./sent-load.ts";

/** Hears of every request while load is sent, so that it can be shown and stopped. */
export interface LoadMeter {
  /** @param request its method and path, such as `POST /v2/abc/run`, or what else tells which it was. */
  readonly sent: (request: string) => void;
  /**
   * @param status of the answer; 0 where none came.
   * @param request as `sent` was told of it.
   */
  readonly answered: (status: number, request: string) => void;
  /** Whether the target answers anything now; waits, where it does not, until it does or is gone for good. */
  readonly isThere: () => Promise<boolean>;
  /** Why something is not to be sent that would take so much; absent, or undefined, where it may be. */
  readonly whyTooMuch?: (needed: Needed) => string | undefined;
}
