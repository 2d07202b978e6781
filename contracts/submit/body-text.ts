import { isDeepStrictEqual } from "node:util";
import { answerOf, describeAnswer } from "../../harness/read.ts";
import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import { largeInteger } from "../../harness/discovery/answers.ts";
import { isOver } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import type { Exchange } from "../../client/exchange.ts";
import { recordAtEnd } from "../../harness/jobs/fixtures.ts";
import { show } from "../../harness/show.ts";
import type { LooseRecord } from "../../harness/record.ts";

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

/** JSON texts: one that every server takes, and others that servers read differently, refuse, or cannot store. */
const values = {
  "an ordinary text": '"a"',
  "the first half of a surrogate pair": String.raw`"a\ud83d"`,
  "the second half of a surrogate pair": String.raw`["\ude00b"]`,
  "half a surrogate pair in a key": String.raw`{"\ud83d":1}`,
  "an integer that no double holds": largeInteger,
  "a number beyond all doubles": "1e999",
  "minus zero": "-0",
  "the same key twice": '{"a":1,"a":2}',
} as const;

/** Checks of inputs that a server may refuse. */
export const oddInputChecks: readonly Check[] = [
  {
    name: "submit/odd-inputs-end",
    title: "a job whose input is odd, such as half a surrogate pair, ends where it was accepted",
    covers: ["LIFE-03"],
    needs: ["handler"],
    run: async ({ api, expect, time }) => {
      const sent = [];
      for (const [at, text] of Object.entries(values)) {
        sent.push({ at, exchange: await api.run(`{"input":{"op":"echo","value":${text}}}`) });
      }
      for (const { at, exchange } of sent) {
        const read = readRecord(exchange);
        // It is not stated that such an input has to be accepted.
        if (!read.ok) continue;
        const { id } = read.body;
        const seen = await time.until(async () => api.status(id), isOver);
        const words = { at: `a job with ${at}`, expected: "a final state", got: stateOf(seen) };
        expect.that(isOver(seen), words);
      }
    },
  },
];

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
