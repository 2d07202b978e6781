import type { Exchange } from "../../client/exchange.ts";
import { answerOf, describeAnswer } from "../../harness/read.ts";
import type { Expectations } from "../../harness/expect.ts";

/** Records a difference where a key was refused; the request may be refused for another reason. */
export function expectLetIn(expect: Expectations, exchange: Exchange, at: string): void {
  const answer = answerOf(exchange);
  const expected = "to be let in";
  expect.that(answer.status !== 401, { at, expected, got: describeAnswer(answer) });
}
