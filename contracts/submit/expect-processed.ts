import { isFinal, readRecord } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";

/** How long a job with a payload near its limit may take, on a virtual clock and on a real one. */
const withinMs = { virtual: 1000, real: 30_000 };

/**
 * Records a difference unless a job with a large payload completes. Nothing is looked at where the workers may run
 * another handler than the conformance handler, which may fail on it.
 */
export async function expectProcessed(
  { api, time, expect, offers }: CheckContext,
  id: string,
  at: string,
): Promise<void> {
  if (!offers("handler")) return;
  const read = await time.until(
    async () => readRecord(await api.status(id)),
    (seen) => seen.ok && isFinal(seen.body),
    time.choose(withinMs),
  );
  const got = read.ok ? read.body.status : read.got;
  expect.that(got === "COMPLETED", { at, expected: "COMPLETED", got });
}
