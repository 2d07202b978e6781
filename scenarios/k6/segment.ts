import { sleep } from "k6";
import exec from "k6/execution";

/**
 * How many of `count` things this process gets at most where several share a test by execution segments.
 * k6 divides an arrival rate unevenly: 56 of 160 were seen where a third was due. Can be called from
 * setup on.
 */
export function segmentShareOf(count: number): number {
  const segment: unknown = exec.test.options.executionSegment;
  if (typeof segment !== "string") return count;
  return Math.min(count, Math.ceil(count * lengthOf(segment) * unevenness) + spare);
}

const unevenness = 1.1;
const spare = 10;

/** The share of the test that a segment is: a third for `1/3:2/3`. */
function lengthOf(segment: string): number {
  const [from = 0, to = 1] = segment.split(":").map((part) => {
    const [over = 0, under = 1] = part.split("/").map(Number);
    return over / under;
  });
  return to - from;
}

const startAtMs = Number(__ENV["QUEUEPROOF_START_AT"] ?? 0);

/** The time until all processes of the test are to begin; 0 where no moment was agreed. */
export function untilStartMs(): number {
  return Math.max(0, startAtMs - Date.now());
}

/** Waits, at the end of setup, for the moment that the processes of the test agreed on. */
export function waitForStart(): void {
  const waitMs = untilStartMs();
  if (waitMs > 0) sleep(waitMs / 1_000);
}
