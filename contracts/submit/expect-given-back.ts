import { isDeepStrictEqual } from "node:util";

import type { Exchange } from "../../client/index.ts";
import { show, waitForEnd } from "../../harness/index.ts";
import type { CheckContext, SubmitOperation } from "../../harness/index.ts";

/** A submission that was sent, and the value that its handler is to give back. */
interface SentValue {
  readonly operation: SubmitOperation;
  readonly exchange: Exchange;
  readonly value: unknown;
  readonly at: string;
}

/** Expects a submission to be accepted, and its job's output to be the value that it was given. */
export async function expectGivenBack(
  context: CheckContext,
  { operation, exchange, value, at }: SentValue,
): Promise<void> {
  const submitted = context.expect.record(exchange, at);
  const job = { id: submitted.id, submittedAt: { earliestMs: 0, latestMs: 0 } };
  // The answer of runsync is compared, because no later read may show the result.
  const ended = operation === "run" ? (await waitForEnd(context, job)).record : submitted;
  const { output } = ended;
  const wanted = { value };
  const isSame = isDeepStrictEqual(output, wanted);
  context.expect.that(isSame, { at, expected: show(wanted), got: show(output) });
}
