import type { SettingName } from "./schema.ts";

/** One option of the command line; its environment variable follows from its name. */
export interface OptionRow {
  /** As commander reads it; of two names the second is the option's own. */
  readonly flags: string;
  readonly kind: "text" | "integer" | "list" | "flag";
  readonly description: string;
}

/** Every option there is. */
export const optionRows: Readonly<Record<SettingName, OptionRow>> = {
  baseUrl: {
    flags: "--url, --base-url <url>",
    kind: "text",
    description: "the target, without /v2; absent: the embedded reference is started",
  },
  endpoint: {
    flags: "--endpoint <id>",
    kind: "text",
    description: "the endpoint (absent with --control: fresh ones are made)",
  },
  apiKey: { flags: "--api-key <key>", kind: "text", description: "a key for the endpoint" },
  foreignKey: {
    flags: "--foreign-key <key>",
    kind: "text",
    description: "a valid key without permission for the endpoint",
  },
  control: {
    flags: "--control <url>",
    kind: "text",
    description: "the target's control protocol",
  },
  capability: {
    flags: "--capability <name>",
    kind: "list",
    description: "what the target offers beyond the API; repeatable",
  },
  webhookUrl: {
    flags: "--webhook-url <url>",
    kind: "text",
    description: "a public URL that leads to the webhook receiver",
  },
  webhookPort: {
    flags: "--webhook-port <n>",
    kind: "integer",
    description: "where the receiver listens behind --webhook-url (default: that URL's port)",
  },
  waitForTarget: {
    flags: "--wait-for-target <duration>",
    kind: "text",
    description: "wait until the target answers, then start",
  },
  timeout: {
    flags: "--timeout <duration>",
    kind: "text",
    description: "the longest one answer may take; runsync may use its wait on top (default: 30s)",
  },
  timeBudget: {
    flags: "--time-budget <duration>",
    kind: "text",
    description: "the longest a check may take on a real clock, full for all (default: 2m)",
  },
  only: {
    flags: "--only <id-or-glob>",
    kind: "list",
    description: "requirements to check, RATE-* for an area; repeatable",
  },
  skip: {
    flags: "--skip <id-or-glob>",
    kind: "list",
    description: "requirements to leave out; repeatable",
  },
  require: {
    flags: "--require <id-or-glob>",
    kind: "list",
    description: "these must be decided, else the exit code is 4; repeatable",
  },
  allowInconclusive: {
    flags: "--allow-inconclusive <id-or-glob>",
    kind: "list",
    description: "these may stay undecided without the exit code 4; repeatable",
  },
  baseline: {
    flags: "--baseline <file>",
    kind: "text",
    description: "ids expected to fail, with a reason each",
  },
  baselineUpdate: {
    flags: "--baseline-update",
    kind: "flag",
    description: "write the failures of this run into the baseline file",
  },
  seed: {
    flags: "--seed <n>",
    kind: "integer",
    description: "makes generated data and sequences repeatable (default: 1)",
  },
  report: {
    flags: "--report <dir>",
    kind: "text",
    description: "where the report goes (default: reports/latest)",
  },
  format: {
    flags: "--format <names>",
    kind: "list",
    description: "html, junit, json, md, har, ctrf, badge, separated by commas (default: all)",
  },
  port: {
    flags: "--port <n>",
    kind: "integer",
    description: "the port to listen on, 0 for any free one (default: 0)",
  },
  host: {
    flags: "--host <name>",
    kind: "text",
    description: "the address to listen on (default: 127.0.0.1)",
  },
  real: {
    flags: "--real",
    kind: "flag",
    description: "three workers for the default endpoint, on a real clock",
  },
  noControl: { flags: "--no-control", kind: "flag", description: "offer no control protocol" },
  dialect: {
    flags: "--dialect <name-or-file>",
    kind: "text",
    description: "spec (default), runpod, rp-local, or the file of another one",
  },
  worker: {
    flags: "--worker <which>",
    kind: "text",
    description: "who works: built-in (default), or external, workers of the Python package runpod",
  },
  workerSilence: {
    flags: "--worker-silence <duration>",
    kind: "text",
    description: "how long an external worker may be silent before its job is lost (default: 40s)",
  },
  fault: {
    flags: "--fault <name>",
    kind: "list",
    description: "start it broken on purpose, by a named fault; repeatable",
  },
  listFaults: { flags: "--list-faults", kind: "flag", description: "print the faults there are" },
  workers: {
    flags: "--workers <n>",
    kind: "text",
    description: "workers of the default endpoint, or a range to scale in: 0-5 (default: 1)",
  },
  allowance: {
    flags: "--allowance <n>",
    kind: "integer",
    description: "requests in 10 s for each running worker, where that is more than the limit",
  },
  endpoints: {
    flags: "--endpoints <file>",
    kind: "text",
    description: "a JSON file of endpoints, in place of the default one",
  },
  speed: {
    flags: "--speed <n>",
    kind: "integer",
    description: "how many times faster than the wall's the clocks run (default: 1)",
  },
  latency: {
    flags: "--latency <duration>",
    kind: "text",
    description: "hold every answer back for so long: 50ms, or at random within 20ms-200ms",
  },
  failRate: {
    flags: "--fail-rate <share>",
    kind: "text",
    description: "answer this share of the requests 500 and do nothing: 5% or 0.05",
  },
  state: {
    flags: "--state <file>",
    kind: "text",
    description: "keep jobs and endpoints in this file, so that they survive a restart",
  },
  stopWithin: {
    flags: "--stop-within <duration>",
    kind: "text",
    description: "how long requests under way may take after Ctrl-C or SIGTERM (default: 5s)",
  },
  dryRun: {
    flags: "--dry-run",
    kind: "flag",
    description: "print what would run, how long and how many requests and jobs, and run nothing",
  },
  yes: {
    flags: "--yes",
    kind: "flag",
    description: "send load to another machine without asking; --capability load is needed, too",
  },
  duration: {
    flags: "--duration <duration>",
    kind: "text",
    description: "how long a named load scenario goes on (default: its own)",
  },
  scale: {
    flags: "--scale <factor>",
    kind: "text",
    description: "rates and numbers of jobs of a named load scenario (default: 1)",
  },
  scenarios: {
    flags: "--scenarios",
    kind: "flag",
    description: "the load scenarios instead, with what each asks, needs and costs",
  },
  timeLimit: {
    flags: "--time-limit <duration>",
    kind: "text",
    description: "stop the load after this (default: twice what the plan says)",
  },
  segment: {
    flags: "--segment <i/n>",
    kind: "text",
    description:
      "be runner i of n that share k6's rates or a question; `report` puts them together",
  },
  startAt: {
    flags: "--start-at <moment>",
    kind: "text",
    description: "when all runners begin, such as 2026-01-31T12:00:00Z",
  },
  distributed: {
    flags: "--distributed <system>",
    kind: "text",
    description: "k8s: write what the k6 operator needs for rates or questions, and run nothing",
  },
  runners: {
    flags: "--runners <n>",
    kind: "integer",
    description: "how many runners share them (default: 2)",
  },
  force: { flags: "--force", kind: "flag", description: "write over a file that is there" },
  watch: {
    flags: "--watch",
    kind: "flag",
    description: "after the run wait for a key: r what failed again, a everything, q quit",
  },
  json: { flags: "--json", kind: "flag", description: "write JSON for a program to read" },
};

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(optionRows, name);
}

/** Every setting's name, as a config file spells it. */
export const settingNames: readonly SettingName[] = Object.keys(optionRows).filter(isSettingName);

/** The long names of an option, its own last: `["--url", "--base-url"]`. */
export function longNames(setting: SettingName): readonly string[] {
  return optionRows[setting].flags.match(/--[a-z-]+/g) ?? [];
}

/** The environment variables of an option, its own last: QUEUEPROOF_ and the name in capitals. */
export function environmentNames(setting: SettingName): readonly string[] {
  return longNames(setting).map(
    (name) => `QUEUEPROOF_${name.slice(2).replaceAll("-", "_").toUpperCase()}`,
  );
}
