import type { Reason } from "../reason.ts";
import { CLOSED_BY_CONTROL, KEPT_IN_A_FILE, because } from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because("reference/webhooks.ts", CLOSED_BY_CONTROL, [
    { within: "Webhooks.stop" },
    { original: "this.#isStopped", replacement: "false" },
  ]),
  ...because(
    "reference/webhooks.ts",
    "What became of the calls is told by the control protocol alone.",
    [
      { within: "Webhooks.tally" },
      { within: "Webhooks.attemptsOf" },
      { within: "Webhooks.#note", mutator: "StringLiteral" },
      { within: "Webhooks.#note", mutator: "AssignmentOperator" },
      { within: "Webhooks.#note", mutator: "ObjectLiteral" },
      { within: "Webhooks.#note", mutator: "BlockStatement" },
      { within: "Webhooks.#note.log", mutator: "ArrayDeclaration" },
      { within: "failureOf*" },
      ['"silent"', '""'],
    ],
  ),
  ...because("reference/webhooks.ts", KEPT_IN_A_FILE, [{ within: "Webhooks.#postpone*" }]),
  ...because("reference/webhooks.ts", "How much of a receiver's answer is read is not stated.", [
    ["{ limit: 65_536, signal }", "{}"],
  ]),
  ...because("reference/webhooks.ts", "Which program calls is not stated.", [
    ['"queueproof-reference"', '""'],
  ]),
  ...because("reference/webhooks.ts", KEPT_IN_A_FILE, [
    { within: "Webhooks.resume" },
    { within: "Webhooks.#carryOut", original: "{ this.#postpone(delivery); return; }" },
    { within: "Webhooks.#carryOut", original: "{ await this.#host.written(job); }" },
    { within: "Webhooks.call.delivery.isOver" },
    { within: "Webhooks.#conclude", mutator: "BooleanLiteral" },
  ]),
  ...because(
    "reference/webhooks.ts",
    "A call is due at the moment its job ends: begun or planned, it is made at the same time.",
    [{ within: "Webhooks.call.dueAtMs" }, { within: "Webhooks.call", original: "dueAtMs > nowMs" }],
  ),
  ...because("reference/webhooks.ts", "It is asked only for a job that has a webhook.", [
    { within: "Webhooks.call", original: "url === undefined", replacement: "false" },
  ]),
  ...because("reference/webhooks.ts", "Which headers a webhook's call has is not stated.", [
    { within: "Webhooks.#post.*.headers*" },
  ]),
  ...because("reference/webhooks.ts", "Whether a connection is used again is not stated.", [
    { within: "Webhooks.#post.*.reset" },
  ]),
  ...because("reference/webhooks.ts", "No status and no failure is no acknowledgement either.", [
    ['{ status: undefined, failure: signal.aborted ? "silent" : failureOf(error) }', "{}"],
  ]),
  ...because("reference/webhooks.ts", "A call that is over cannot be broken off.", [
    ["{ timer.cancel(); this.#attempts.delete(controller); }", "{}"],
  ]),
  ...because(
    "reference/webhooks.ts",
    "Which receivers a server may call is its owner's choice, and no redirect is followed either way.",
    [{ within: "Webhooks.#lazyDispatcher*" }],
  ),
];
