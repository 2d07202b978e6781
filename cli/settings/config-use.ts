import type { SettingName } from "./options.ts";
import type { ReadSettings } from "./resolve.ts";

/** What a config file decides of where requests go, and whose secrets go there. */
export interface ConfigUse {
  readonly path: string;
  readonly contents: string;
  /** Whether it was merely found in the working directory; otherwise `--config` or a variable names it. */
  readonly isFound: boolean;
  /** The addresses that it names and that count, by their options, without user and password. */
  readonly addresses: readonly string[];
  /** A secret from elsewhere that would be sent to one of them; undefined where there is none. */
  readonly foreignSecret: string | undefined;
}

const addressNames = ["baseUrl", "control", "proxy"] as const;

const secretNames = {
  apiKey: "key",
  foreignKey: "foreign key",
  header: "header",
  cert: "certificate",
} as const satisfies Partial<Record<SettingName, string>>;

/** Says what the config file decides; undefined where there is none. */
export function configUseOf({ values, sources, config }: ReadSettings): ConfigUse | undefined {
  if (config === undefined) return undefined;
  const addresses = addressNames
    .filter((name) => sources.get(name) === "config")
    .map((name) => `${optionOf[name]} ${withoutUser(String(values[name]))}`);
  const foreign = Object.entries(secretNames).find(([name]) => isFromElsewhere(name, sources));
  return {
    ...config,
    addresses,
    foreignSecret: addresses.length > 0 ? foreign?.[1] : undefined,
  };
}

const optionOf = { baseUrl: "--base-url", control: "--control", proxy: "--proxy" } as const;

function isFromElsewhere(name: string, sources: ReadonlyMap<string, unknown>): boolean {
  return sources.has(name) && sources.get(name) !== "config";
}

function withoutUser(address: string): string {
  return address.replace(/\/\/[^/?#]*@/, "//");
}

/** The line that tells which config file is used, with the addresses that it names. */
export function configText({ path, isFound, addresses, foreignSecret }: ConfigUse): string {
  const how = isFound ? "found in this directory" : "named";
  const where = addresses.length === 0 ? "" : `: ${addresses.join(", ")}`;
  const what = foreignSecret === undefined ? "" : `; your ${foreignSecret} goes there`;
  return `Config file ${path}, ${how}${where}${what}.\n`;
}
