import { largeInteger } from "../../harness/discovery/answers.ts";
import { isOver } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";

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
