import type { Exchange } from "../client/exchange.ts";
import { answerOf } from "../harness/read.ts";
import { Inconclusive } from "../harness/outcome.ts";
import type { CheckContext } from "../harness/check-context.ts";
import type { Expectations } from "../harness/expect.ts";

/** An answer that takes longer was waiting for something. */
export const promptAnswerMsMax = 5000;

/**
 * Records a difference where a request got no answer in time although the target answers health. On a virtual clock
 * time stands still, so an answer that waits for time to pass would never come.
 */
export async function expectAnswer(
  { api, expect }: { readonly api: CheckContext["api"]; readonly expect: Expectations },
  exchange: Exchange,
  at: string,
): Promise<void> {
  if (exchange.failure?.kind !== "timeout") {
    answerOf(exchange);
    expect.that(true, { at, expected: "an answer at once", got: "" });
    return;
  }
  const other = await api.health({ timeoutMs: promptAnswerMsMax });
  const otherMs = other.answeredAtMs - other.sentAtMs;
  if (other.answer === undefined || otherMs > promptAnswerMsMax / 5) {
    throw new Inconclusive(
      `${exchange.operation} gave no answer, and health took ${Math.round(otherMs)} ms`,
    );
  }
  expect.that(false, {
    at,
    expected: "an answer at once",
    got: "no answer in time, though health answers",
  });
}
