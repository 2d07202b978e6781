import { keyOf, settingProblems } from "../../openapi/describe-errors.ts";
import type { Validator } from "../../openapi/schemas.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import { didYouMean } from "../did-you-mean.ts";
import { isSettingName, optionRows, settingNames } from "./options.ts";
import type { SettingValues } from "./options.ts";

/**
 * Compiles the schema of the settings that a candidate has, which takes a fraction of the time that the schema of all
 * settings takes. An unknown name is compared with all of them.
 */
function validatorFor(candidate: unknown): Validator<SettingValues> {
  const given = typeof candidate === "object" && candidate !== null ? Object.keys(candidate) : [];
  const isKnown = given.every((name) => isSettingName(name));
  const names = isKnown ? settingNames.filter((name) => given.includes(name)) : settingNames;
  return wordedAjv.compile({
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, optionRows[name].schema])),
  });
}

/** The unchecked content of one source: the command line, the environment or a file. */
export interface Layer {
  readonly candidate: unknown;
  /** Names the place of a JSON pointer as this source does: `--seed`, `QUEUEPROOF_SEED`, `/seed`. */
  readonly nameOf: (pointer: string) => string;
}

export interface CheckedLayer extends Pick<Layer, "nameOf"> {
  /** The valid settings; one with a problem is left out. */
  readonly values: SettingValues;
  /** All problems of the source, one line each: where, what is expected, what was found. */
  readonly problems: readonly string[];
}

/** Checks a layer against the schema. */
export function checkLayer({ candidate, nameOf }: Layer): CheckedLayer {
  const validate = validatorFor(candidate);
  if (validate(candidate)) return { values: candidate, problems: [], nameOf };
  const problems = settingProblems(validate.errors, { nameOf, offer: didYouMean });
  return { values: rightOf(candidate, validate), problems, nameOf };
}

function rightOf(candidate: unknown, validate: Validator<SettingValues>): SettingValues {
  if (typeof candidate !== "object" || candidate === null) return {};
  const wrong = new Set(
    validate.errors?.map((error) => keyOf(error) ?? error.instancePath.split("/")[1]),
  );
  const right = Object.fromEntries(Object.entries(candidate).filter(([name]) => !wrong.has(name)));
  return validate(right) ? right : {};
}
