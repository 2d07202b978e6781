import type { LoadWindow } from "../model.ts";

/** Every request of one trace: arrays of one length, times in ms on one clock from the trace's start. */
export interface LoadSamples {
  /** "cancel: burst, single probes, parts of the limit". */
  readonly name: string;
  readonly operation?: string;
  readonly clock: "real" | "virtual";
  /** When the schedule wanted each sent; absent where there was no schedule. */
  readonly intendedMs?: Float64Array;
  readonly sentMs: Float64Array;
  /** NaN: no answer. */
  readonly answeredMs: Float64Array;
  /** The HTTP status; 0: no answer. */
  readonly status: Uint16Array;
  readonly limit?: number;
  readonly windowMs?: number;
  readonly windows?: readonly LoadWindow[];
  /** The most that may be in flight at once. */
  readonly cap?: number;
}
