import { isDeepStrictEqual } from "node:util";

import type { Exchange } from "../../client/exchange.ts";
import { recordAtEnd } from "../../harness/jobs/fixtures.ts";
import { show } from "../../harness/show.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { LooseRecord } from "../../harness/record.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";

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
  const { output } = await givenBackBy(context, operation, submitted);
  const wanted = { value };
  const isSame = isDeepStrictEqual(output, wanted);
  context.expect.that(isSame, { at, expected: show(wanted), got: show(output) });
}

/** The record of a job that has ended. That of runsync is its answer, because no later read may show the result. */
export async function givenBackBy(
  context: CheckContext,
  operation: SubmitOperation,
  submitted: LooseRecord,
): Promise<LooseRecord> {
  return operation === "run" ? recordAtEnd(context, submitted.id) : submitted;
}
