import { controlCharacterIn, unsendableIn } from "../../client/sendable.ts";
import type { CheckedLayer } from "./check.ts";
import { isSettingName } from "./options.ts";
import type { SettingName, SettingValues } from "./options.ts";
import { isJsonObject } from "../../client/parse-json.ts";

/** The settings whose values are sent to the target, or are where it is. */
const sent: ReadonlySet<SettingName> = new Set([
  "baseUrl",
  "control",
  "webhookUrl",
  "proxy",
  "endpoint",
  "apiKey",
  "foreignKey",
  "header",
]);
const keys: ReadonlySet<SettingName> = new Set(["apiKey", "foreignKey"]);

export interface SentValues {
  readonly candidate: unknown;
  /** What was left out of the values, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Leaves out of what will be sent what belongs to it only by mistake: line ends, which a file or a command brings along,
 * and the word Bearer before a key.
 * @param nameOf names the place of a setting
 */
export function cleanSent(candidate: unknown, nameOf: CheckedLayer["nameOf"]): SentValues {
  if (!isJsonObject(candidate)) return { candidate, warnings: [] };
  const warnings: string[] = [];
  const clean = (name: SettingName, value: string): string => {
    const place = nameOf(`/${name}`);
    const text = value.replace(/[\r\n]+$/, "");
    if (text !== value) warnings.push(`${place} ends in a line end, which is left out`);
    const [, key] = (keys.has(name) ? /^bearer +(.+)$/is.exec(text) : null) ?? [];
    if (key !== undefined) {
      warnings.push(`${place} begins with Bearer, which is left out: the key is what follows it`);
    }
    return key ?? text;
  };
  const entries = Object.entries(candidate).map(([name, value]) =>
    isSettingName(name) && sent.has(name)
      ? [name, mapTexts(value, (text) => clean(name, text))]
      : [name, value],
  );
  return { candidate: Object.fromEntries(entries), warnings };
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (!Array.isArray(value)) return value;
  // A variable of several lines is split at them, so that its last line end leaves an empty text.
  const items: unknown[] = value.at(-1) === "" ? value.slice(0, -1) : value;
  return items.map((item) => (typeof item === "string" ? map(item) : item));
}

/** Keys and endpoint ids that cannot be sent as they are, one line each; none shows a key. */
export function unsendableProblems(
  values: SettingValues,
  nameOf: CheckedLayer["nameOf"],
): readonly string[] {
  const { apiKey, foreignKey, endpoint = [] } = values;
  const found = [
    ["apiKey", apiKey === undefined ? undefined : unsendableIn(apiKey), "no key can hold"],
    [
      "foreignKey",
      foreignKey === undefined ? undefined : unsendableIn(foreignKey),
      "no key can hold",
    ],
    ...endpoint.map(
      (id) => ["endpoint", controlCharacterIn(id), "no endpoint id can hold"] as const,
    ),
  ] as const;
  return found.flatMap(([name, character, why]) =>
    character === undefined ? [] : [`${nameOf(`/${name}`)} holds ${character}, which ${why}`],
  );
}
