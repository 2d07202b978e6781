import { stateOf } from "../../harness/record.ts";
import type { CheckContext } from "../../harness/check-context.ts";

const minuteMs = 60_000;

/**
 * Finds out when the result of a runsync job is gone (Limits): after one minute, by five minutes, or later than that.
 * Reads status one second after each. `leftOfMinuteMs` is what is left of the first minute at the call.
 */
export async function readingOfEnd(
  { api, time }: CheckContext,
  id: string,
  leftOfMinuteMs: number,
): Promise<string> {
  const isKept = async (): Promise<boolean> => stateOf(await api.status(id)) === "COMPLETED";
  await time.pass(leftOfMinuteMs + 1000);
  const isKeptForOne = await isKept();
  await time.pass(4 * minuteMs);
  if (await isKept()) return "after more than 5 minutes";
  return isKeptForOne ? "at some point between 1 and 5 minutes" : "after 1 minute";
}
