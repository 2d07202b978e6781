/** Keeps this thread from everything else for so many milliseconds, and the processor free for others. */
export function standStillFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
