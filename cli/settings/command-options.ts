import { optionRows } from "./options.ts";
import type { SettingName } from "./options.ts";

// The settings of each command, in the order of its help.

/** Options for what every request to the target carries, and how it gets there. */
export const requestOptions = [
  "header",
  "ca",
  "cert",
  "certKey",
  "proxy",
  "noTrace",
] as const satisfies readonly SettingName[];

/** Options for how a target is tested, which no report tells as they were given. */
const testingOptions = [
  "jobs",
  "input",
  "dialect",
  "noDiscovery",
  "webhookUrl",
  "webhookPort",
  "waitForTarget",
  "timeout",
  "timeBudget",
  "rate",
  "timeLimit",
] as const satisfies readonly SettingName[];

/** Options for which requirements are judged, and what they are held to. */
const selectionOptions = [
  "only",
  "profile",
  "skip",
  "require",
  "allowInconclusive",
  "baseline",
  "baselineUpdate",
] as const satisfies readonly SettingName[];

/** The options of `contract`. */
export const contractOptions = [
  "baseUrl",
  "reference",
  "endpoint",
  "apiKey",
  "foreignKey",
  "control",
  ...requestOptions,
  "capability",
  ...testingOptions,
  ...selectionOptions,
  "seed",
  "report",
  "format",
  "dryRun",
  "json",
  "watch",
  "failFast",
  "noBodies",
  "onlyChanged",
  "verbose",
] as const satisfies readonly SettingName[];

/** The options of `load` and `run`. */
export const loadOptions = [
  ...contractOptions,
  "duration",
  "scale",
  "hook",
  "mix",
  "objectives",
  "yes",
  "maxJobs",
  "maxRequests",
  "segment",
  "startAt",
  "distributed",
  "runners",
] as const satisfies readonly SettingName[];

/** The options of `serve`. */
export const serveOptions = [
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
  "webhookTo",
  "allowHost",
  "dialect",
  "verbose",
  "handler",
  "worker",
  "workerSilence",
  "stopWithin",
  "json",
] as const satisfies readonly SettingName[];

/** What a report is held to, and where it goes. */
const reportDemandOptions = [
  ...selectionOptions,
  "report",
  "format",
  "noBodies",
  "verbose",
] as const satisfies readonly SettingName[];

/** How traffic is judged. */
const judgementOptions = [
  "judge",
  "soleClient",
  "allowance",
  ...reportDemandOptions,
] as const satisfies readonly SettingName[];

/** The options of `traffic`. */
export const trafficOptions = [
  "writeMix",
  ...judgementOptions,
] as const satisfies readonly SettingName[];

/** The options of `proxy`. */
export const proxyOptions = [
  "baseUrl",
  "port",
  "host",
  "tls",
  "caOut",
  "ca",
  "cert",
  "certKey",
  "proxy",
  "record",
  "recordBodies",
  "duration",
  ...judgementOptions,
] as const satisfies readonly SettingName[];

/** The options of `client`. */
export const clientOptions = [
  "tasks",
  "plain",
  "driver",
  "dialect",
  "receiver",
  "job",
  "capability",
  "yes",
  ...reportDemandOptions,
  "dryRun",
] as const satisfies readonly SettingName[];

/** The options of `worker`. */
export const workerOptions = [
  "tests",
  "startWithin",
  "runs",
  "once",
  "workers",
  "jobTimeout",
  "noBadInputs",
  ...reportDemandOptions,
  "dryRun",
] as const satisfies readonly SettingName[];

/** The options of `report`. */
export const reportOptions = ["report", "format"] as const satisfies readonly SettingName[];

/** The options of `trend`. */
export const trendOptions = ["report"] as const satisfies readonly SettingName[];

/** The options of `compare`. */
export const compareOptions = [
  "require",
  "failOn",
  "json",
] as const satisfies readonly SettingName[];

/** The options of `replay`; the other settings come from the report. */
export const replayOptions = [
  "apiKey",
  "foreignKey",
  "baseUrl",
  "endpoint",
  "control",
  ...requestOptions,
  ...testingOptions,
  "report",
  "format",
  "yes",
  "verbose",
] as const satisfies readonly SettingName[];

/**
 * The settings that a config file may hold, in the order of the help. Keys are left out as secrets, and flags because
 * they are meant for one run.
 */
export const configSettings: readonly SettingName[] = contractOptions.filter((name) => {
  const { kind, schema } = optionRows[name];
  return kind !== "flag" && schema.secret !== true;
});
