import type { KnownSecret } from "./run-rules.ts";

const secretCharactersMin = 8;
/** A name says it where one of its words ends so: HF_TOKEN, OPENAI_APIKEY, and not TOKENIZERS_PARALLELISM. */
const secretName = /(?:secret|key|token|password)(?:_|$)/i;
const idName = /_?ids?$/i;

/** The variables whose names say secret, key, token or password, and whose values are long enough to be found. */
export function secretsIn(
  environment: Readonly<Record<string, string | undefined>>,
): readonly KnownSecret[] {
  return Object.entries(environment).flatMap(([name, value = ""]) =>
    secretName.test(name) && !idName.test(name) && value.length >= secretCharactersMin
      ? [{ name, value }]
      : [],
  );
}
