import type { SettingValues } from "../settings/options.ts";
import type { Flags, FlagValue } from "../settings/sources.ts";

/** Settings as options would give them. */
export function asTyped(values: SettingValues): Flags {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, typed(value)]));
}

function typed(value: unknown): FlagValue {
  if (value === true || typeof value === "string") return value;
  return Array.isArray(value) ? value.map(String) : JSON.stringify(value);
}
