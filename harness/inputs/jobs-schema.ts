import { Type } from "typebox";
import type { Static, TInteger } from "typebox";

import { jobKinds } from "../../openapi/capabilities.ts";

const weekMs = 604_800_000;
const closed = { additionalProperties: false, expects: "a JSON object" } as const;

const input = Type.Unsafe<Readonly<Record<string, unknown>>>(
  Type.Object({}, { expects: "an input for your handler, a JSON object" }),
);
const atMostMs = Type.Optional(milliseconds());

const known = Type.Object(
  {
    input,
    output: Type.Unsafe<unknown>({ expects: "the output that the job has, exactly" }),
    atMostMs,
  },
  closed,
);

/** The schema of a jobs file. A generated copy in plain JSON spares its readers the builder of schemas. */
export const jobsSchema = Type.Object(
  {
    quick: Type.Optional(Type.Object({ input, atMostMs }, closed)),
    slow: Type.Optional(
      Type.Object({ input, atLeastMs: milliseconds(), atMostMs: milliseconds() }, closed),
    ),
    failing: Type.Optional(Type.Object({ input, atMostMs }, closed)),
    known: Type.Optional(
      Type.Array(known, { minItems: 1, expects: "a job of known output, or a list of them" }),
    ),
    streaming: Type.Optional(
      Type.Object({ input, atMostMs, chunksAtLeast: Type.Optional(count()) }, closed),
    ),
  },
  { ...closed, keysAre: `one of ${jobKinds.join(", ")}` },
);

/** What a jobs file holds when it fits its schema. */
export type JobsSource = Static<typeof jobsSchema>;

function milliseconds(): TInteger {
  return Type.Integer({
    minimum: 1,
    maximum: weekMs,
    expects: `a number of milliseconds from 1 to ${weekMs}`,
  });
}

function count(): TInteger {
  return Type.Integer({ minimum: 1, maximum: 1_000_000, expects: "a number of chunks from 1" });
}
