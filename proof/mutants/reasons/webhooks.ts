import type { Reason } from "../reason.ts";
import { CLOSED_BY_CONTROL, KEPT_IN_A_FILE, because } from "./because.ts";

/** Of mutants that no client can see. */
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
  ...because("reference/webhooks.ts", "Which program calls is not stated.", [
    ['"queueproof-reference"', '""'],
  ]),
];
