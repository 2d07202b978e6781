import { secretCharactersMin, secretCharactersSafe } from "../client/secret-forms.ts";
import { requirements } from "../openapi/requirements.ts";
import type { GivenTarget } from "./settings/given-target.ts";

/** Warns, before the run, of keys that cannot be removed from reports safely. No line shows a key. */
export function keyWarnings(
  target: GivenTarget | undefined,
  headers: Readonly<Record<string, string>> = {},
): readonly string[] {
  const secrets: readonly (readonly [string, string | undefined])[] = [
    ["the key of --api-key", target?.apiKey],
    ["the key of --foreign-key", target?.foreignKey],
    ...Object.entries(headers).map(
      ([name, value]) => [`the value of --header ${name}`, value] as const,
    ),
  ];
  return secrets.flatMap(([what, secret]) => {
    const problem = secret === undefined ? undefined : problemOf(secret);
    return problem === undefined ? [] : [`${what} ${problem}`];
  });
}

function problemOf(key: string): string | undefined {
  if (key.length < secretCharactersMin) {
    return "is too short to be taken out of reports: whoever reads a report may see it";
  }
  if (isWordOfReports(key)) {
    return "is a word that reports use: they show *** wherever it stands";
  }
  if (key.length < secretCharactersSafe) {
    return `has fewer than ${secretCharactersSafe} characters: a report hides it as it is, but not in base64, hex or other letter case`;
  }
  return undefined;
}

function isWordOfReports(key: string): boolean {
  const word = key.toLowerCase();
  return Object.values(requirements).some(({ text }) => text.toLowerCase().includes(word));
}
