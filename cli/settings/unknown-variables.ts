import { didYouMean } from "../did-you-mean.ts";
import type { Io } from "../io.ts";
import { environmentNames, settingNames } from "./options.ts";

/** The variable that names the config file, as `--config` does. */
export const configVariable = "QUEUEPROOF_CONFIG";

/** Warns of variables that begin like ours but are unknown, since a misspelt one would be ignored silently. */
export function unknownVariables(environment: Io["environment"]): readonly string[] {
  const known = [...settingNames.flatMap(environmentNames), configVariable];
  return Object.keys(environment)
    .filter((name) => name.startsWith("QUEUEPROOF_") && !known.includes(name))
    .map((name) => `${name} is not a variable of queueproof${didYouMean(name, known)}`);
}
