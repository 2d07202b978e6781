import { answerOf, describeAnswer } from "../../harness/read.ts";
import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import { expectGivenBack } from "./expect-given-back.ts";

/** One way to write a submission: the text that is sent, and the headers that are sent with it. */
interface Row {
  readonly label: string;
  readonly textOf: (body: unknown) => string;
  readonly headers?: Readonly<Record<string, string>>;
}

const rows: readonly Row[] = [
  {
    label: "a content type that names its charset",
    textOf: (body) => JSON.stringify(body),
    headers: { "content-type": "application/json; charset=utf-8" },
  },
  {
    label: "white space around the body and within",
    textOf: (body) => `\r\n ${JSON.stringify(body, null, "\t").replaceAll("\n", "\r\n")}\t\n`,
  },
];

/** Checks that a submission is taken in whatever way its JSON is written, and with whatever object as its input. */
export const bodyTextChecks: readonly Check[] = [
  {
    name: "submit/input-however-it-is-written",
    title: "run and runsync take a body with white space, and one whose content type has a charset",
    covers: ["SUBM-04"],
    run: async (context) => {
      for (const operation of submitOperationsOf(context)) {
        for (const row of rows) await expectTaken(context, operation, row);
      }
    },
  },
  {
    name: "submit/empty-input-is-the-handlers",
    title: "run and runsync take an input without members, which is the handler's to judge",
    covers: ["SUBM-04"],
    run: async ({ api, expect }) => {
      const body = { input: {} };
      expect.accepted(await api.run(body), "run with an empty input");
      const answer = answerOf(await api.runsync(body));
      // The handler fails on it, and a failed job may be answered with 500 (SYNC-10).
      const isTaken = answer.status < 300 || answer.status === 500;
      const [expected, got] = ["to be accepted", describeAnswer(answer)];
      expect.that(isTaken, { at: "runsync with an empty input", expected, got });
    },
  },
];

async function expectTaken(
  context: CheckContext,
  operation: SubmitOperation,
  { label, textOf, headers = {} }: Row,
): Promise<void> {
  const value = { text: "two  words", list: [1, { deep: null }] };
  const text = textOf({ input: context.jobs.quick(value) });
  const exchange = await context.api[operation](text, { headers });
  await expectGivenBack(context, { operation, exchange, value, at: `${operation} with ${label}` });
}
