import { settingProblems } from "../../openapi/describe-errors.ts";
import type { Wording } from "../../openapi/describe-errors.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import { defaultMix, mixJobs, mixOperations } from "./mix.ts";
import type { Mix } from "./mix.ts";

const perSecondMax = 10_000;
const closed = { type: "object", additionalProperties: false } as const;

const mixSchema = {
  ...closed,
  properties: {
    arrival: { enum: ["even", "poisson"], expects: "even or poisson" },
    operations: {
      ...closed,
      minProperties: 1,
      properties: Object.fromEntries(
        mixOperations.map((name) => [
          name,
          {
            type: "number",
            minimum: 0,
            maximum: perSecondMax,
            expects: `requests a second, from 0 to ${perSecondMax}`,
          },
        ]),
      ),
      expects: `an object such as {"run": 5, "status": 20}`,
      keysAre: `one of ${mixOperations.join(", ")}`,
    },
    jobs: {
      ...closed,
      minProperties: 1,
      properties: Object.fromEntries(
        mixJobs.map((name) => [
          name,
          { type: "number", minimum: 0, maximum: 1_000_000, expects: "a proportion such as 3" },
        ]),
      ),
      expects: `an object such as {"quick": 9, "failing": 1}`,
      keysAre: `one of ${mixJobs.join(", ")}`,
    },
  },
  expects: "an object with arrival, operations and jobs",
  keysAre: "one of arrival, operations, jobs",
} as const;

export type ParsedMix =
  | { readonly ok: true; readonly mix: Mix }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a mix (docs/before-a-release.md#the-mix), or says everything that is wrong with it. What it leaves out is as usual. */
export function parseMix(given: unknown, wording: Wording = {}): ParsedMix {
  const validate = wordedAjv.compile<Partial<Mix>>(mixSchema);
  if (!validate(given)) return { ok: false, problems: settingProblems(validate.errors, wording) };
  const mix = { ...defaultMix, ...given };
  const isEmpty = Object.values(mix.operations).every((perSecond) => perSecond === 0);
  if (isEmpty) return { ok: false, problems: ["/operations: expected one rate above 0 or more"] };
  return { ok: true, mix };
}
