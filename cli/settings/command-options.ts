import type { SettingName } from "./schema.ts";

// Which settings each command has, in the order of its help. Only types are imported: help must not wait.

/** The options of `contract`. */
export const contractOptions = [
  ...(["baseUrl", "endpoint", "apiKey", "foreignKey", "control", "capability"] as const),
  "dialect",
  ...([
    "webhookUrl",
    "webhookPort",
    "waitForTarget",
    "timeout",
    "timeBudget",
    "only",
    "skip",
    "require",
    "allowInconclusive",
  ] as const),
  ...(["baseline", "baselineUpdate", "seed", "report", "format"] as const),
  ...(["dryRun", "json", "watch"] as const),
] satisfies readonly SettingName[];

/** The options of `load` and `run`. */
export const loadOptions = [
  ...contractOptions,
  ...([
    "duration",
    "scale",
    "yes",
    "timeLimit",
    "segment",
    "startAt",
    "distributed",
    "runners",
  ] as const),
] satisfies readonly SettingName[];

/** The options of `serve`. */
export const serveOptions = [
  ...([
    "port",
    "host",
    "real",
    "workers",
    "allowance",
    "endpoints",
    "speed",
    "state",
    "latency",
    "failRate",
    "fault",
    "listFaults",
    "seed",
    "noControl",
    "dialect",
    "worker",
    "workerSilence",
    "stopWithin",
    "json",
  ] as const),
] satisfies readonly SettingName[];

/** The options of `report`. */
export const reportOptions = ["report", "format"] as const satisfies readonly SettingName[];

/** The options of `compare`. */
export const compareOptions = ["require", "json"] as const satisfies readonly SettingName[];

/** The options of `replay`: the rest comes from the report. */
export const replayOptions = [
  ...(["apiKey", "foreignKey", "baseUrl", "endpoint", "control", "dialect"] as const),
  ...(["webhookUrl", "webhookPort", "waitForTarget", "timeout", "timeBudget"] as const),
  ...(["report", "format", "yes"] as const),
] satisfies readonly SettingName[];

/** Not for a file: keys are secrets, and what is asked of one run alone. */
const kept: ReadonlySet<SettingName> = new Set<SettingName>([
  "apiKey",
  "foreignKey",
  "baselineUpdate",
  "dryRun",
  "json",
  "watch",
]);

/** The settings a config file is good for, in the order of the help. */
export const configSettings: readonly SettingName[] = contractOptions.filter(
  (name) => !kept.has(name),
);
