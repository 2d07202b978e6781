import { windowMs } from "../../openapi/operations.ts";

/** The most requests that a bucket of the limit gives back in that time. */
export function refilledIn(ms: number, limit: number): number {
  return ms === 0 ? 0 : Math.ceil((limit * ms) / windowMs) + 1;
}
