import { shellWord } from "../../client/shell-word.ts";
import type { RepeatWords } from "../../reports/repeat-line.ts";
import { requestOptions } from "./command-options.ts";
import { environmentNames, longNames } from "./options.ts";
import type { SettingName } from "./options.ts";
import type { ReadSettings } from "./resolve.ts";

/** What stands in a line in place of a secret that was typed, in its variable. */
const placeholders = {
  apiKey: "KEY",
  foreignKey: "FOREIGN_KEY",
  header: "HEADER",
  proxy: "PROXY",
} as const satisfies Partial<Record<SettingName, string>>;

/** Typed options that no report holds and a repeated check needs; secrets have their variables. */
const notInReport: readonly SettingName[] = [
  ...requestOptions.filter((name) => !isSecretName(name)),
  "webhookUrl",
  "noDiscovery",
  "rate",
];

/**
 * What a line that repeats a failure has to say besides the report: a variable for each secret that was typed, the
 * address where secrets do not stand beside it, and what else was typed and is in no report.
 */
export function repeatWordsOf({ values, sources }: ReadSettings): RepeatWords {
  const isTyped = (name: SettingName): boolean => sources.get(name) === "typed";
  const variables = Object.entries(placeholders).flatMap(([name, placeholder]) =>
    isSecretName(name) && isTyped(name)
      ? [`${environmentNames(name).at(-1) ?? ""}=${placeholder}`]
      : [],
  );
  const secrets = (["apiKey", "foreignKey", "header", "cert"] as const).filter((name) =>
    sources.has(name),
  );
  const from = sources.get("baseUrl");
  const isBeside = from !== "typed" && secrets.every((name) => sources.get(name) === from);
  const named: readonly SettingName[] = [
    ...(secrets.length > 0 && from !== undefined && !isBeside ? (["baseUrl"] as const) : []),
    ...notInReport.filter(isTyped),
  ];
  const options = named.flatMap((name) => {
    const option = longNames(name).at(-1) ?? "";
    const value = values[name];
    const isWord = typeof value === "string" || typeof value === "number";
    return isWord ? [option, shellWord(String(value))] : [option];
  });
  return { variables, options };
}

function isSecretName(name: string): name is keyof typeof placeholders {
  return Object.hasOwn(placeholders, name);
}
