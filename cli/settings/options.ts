// Not imported from index modules, so that help need not load validators and writers.
import { capabilities } from "../../openapi/capabilities.ts";
import { everyJudged, everyProfile } from "../../openapi/profiles.ts";
import { reportFormats } from "../../reports/report-formats.ts";
import { hookNames } from "../../load/hooks/hook-names.ts";
import { budgetPattern, positiveDurationPattern } from "./duration.ts";
import { duration, momentPattern, selection, url } from "./expected-values.ts";
import { fileOrObject, flag, integer, list, oneOf, text } from "./option-row.ts";
import type { OptionRow, ValueOf } from "./option-row.ts";
import { programRows } from "./program-rows.ts";
import { serveRows } from "./serve-rows.ts";

const rows = {
  baseUrl: text(
    "--url, --base-url <url>",
    "the target, without /v2; absent: the embedded reference is tested",
    url,
  ),
  reference: flag("--reference", "test the embedded reference, which is started for it"),
  endpoint: list(
    "--endpoint <id>",
    "the endpoint (absent with --control: fresh ones are made); repeatable for several alike",
    { expects: "an endpoint id" },
  ),
  apiKey: text("--api-key <key>", "a key for the endpoint", {
    expects: "an API key",
    secret: true,
  }),
  foreignKey: text("--foreign-key <key>", "a valid key without permission for the endpoint", {
    expects: "an API key without permission for the endpoint",
    secret: true,
  }),
  control: text("--control <url>", "the target's control protocol", url),
  header: list(
    "--header <name: value>",
    "what every request to the target carries besides, a secret; repeatable",
    { expects: "a header such as 'X-Name: value'", secret: true, separator: "\n" },
  ),
  ca: text("--ca <file>", "the authorities that are trusted in place of the system's, as PEM", {
    expects: "the path of a file of certificates",
  }),
  cert: text("--cert <file>", "the certificate that the target is shown, as PEM", {
    expects: "the path of a certificate",
  }),
  certKey: text("--cert-key <file>", "its key, as PEM (default: in the same file)", {
    expects: "the path of a key",
  }),
  proxy: text(
    "--proxy <url>",
    "the HTTP proxy to go through (default: that of HTTPS_PROXY, HTTP_PROXY and NO_PROXY)",
    { expects: "the URL of an HTTP proxy", secret: true },
  ),
  noTrace: flag("--no-trace", "send no traceparent header"),
  capability: list(
    "--capability <name>",
    "what the target offers beyond the API; repeatable",
    oneOf(capabilities),
  ),
  jobs: fileOrObject(
    "--jobs <file>",
    "jobs of your own workers, as JSON: a jobs file or tests you have (docs/test-my-server.md)",
    "the path of a jobs file, or what it would hold",
  ),
  input: text("--input <json>", "the input of a job that your own workers end soon, as JSON", {
    expects: "an input for your handler, as JSON",
  }),
  webhookUrl: text("--webhook-url <url>", "a public URL that leads to the webhook receiver", url),
  webhookPort: integer(
    "--webhook-port <n>",
    "where the receiver listens behind --webhook-url (default: that URL's port)",
    [1, 65_535],
  ),
  waitForTarget: text(
    "--wait-for-target <duration>",
    "wait until the target answers, then start",
    duration,
  ),
  timeout: text(
    "--timeout <duration>",
    "the longest one answer may take; runsync may use its wait on top (default: 30s)",
    {
      pattern: positiveDurationPattern,
      expects: "a duration of more than 0, such as 500ms, 30s or 2m",
    },
  ),
  timeBudget: text(
    "--time-budget <duration>",
    "the longest a check may take on a real clock, full for all (default: 2m)",
    { pattern: budgetPattern, expects: `${duration.expects}, or full` },
  ),
  only: list(
    "--only <id-or-glob>",
    "requirements to check, RATE-* for an area; repeatable",
    selection,
  ),
  profile: list(
    "--profile <name>",
    "check a profile's requirements; one not decided makes the exit code 4; repeatable",
    oneOf(everyProfile),
  ),
  skip: list("--skip <id-or-glob>", "requirements to leave out; repeatable", selection),
  require: list(
    "--require <id-or-glob>",
    "these must be decided, else the exit code is 4; repeatable",
    selection,
  ),
  allowInconclusive: list(
    "--allow-inconclusive <id-or-glob>",
    "these may stay undecided without the exit code 4; repeatable",
    selection,
  ),
  baseline: text("--baseline <file>", "ids expected to fail, with a reason each", {
    expects: "the path of a baseline file",
  }),
  baselineUpdate: flag(
    "--baseline-update",
    "write the failures of this run into the baseline file",
  ),
  seed: integer(
    "--seed <n>",
    "makes generated data and sequences repeatable (default: 1)",
    [0, 4_294_967_295],
  ),
  report: text("--report <dir>", "where the report goes (default: reports/latest)", {
    expects: "the path of a directory",
  }),
  format: list(
    "--format <names>",
    `${reportFormats.join(", ")}, separated by commas (default: all)`,
    oneOf(reportFormats),
  ),
  dialect: text(
    "--dialect <name-or-file>",
    "spec (default), runpod, rp-local, or the file of another one",
    { expects: "the name of a dialect or the path of its file" },
  ),
  noDiscovery: flag("--no-discovery", "take the dialect as given: adapt to nothing else"),
  ...serveRows,
  ...programRows,
  dryRun: flag(
    "--dry-run",
    "print what would run, how long and how many requests and jobs, and run nothing",
  ),
  failFast: flag("--fail-fast", "end the run at the first failure"),
  noBodies: flag("--no-bodies", "write reports without inputs and outputs of jobs"),
  onlyChanged: text(
    "--only-changed <report>",
    "a report.json: what failed or was not decided there runs first",
    { expects: "the path of a report.json" },
  ),
  yes: flag(
    "--yes",
    "send load to another machine without asking; --capability load is needed, too",
  ),
  duration: text(
    "--duration <duration>",
    "how long a named load scenario goes on (default: its own)",
    { pattern: positiveDurationPattern, expects: duration.expects },
  ),
  scale: text(
    "--scale <factor>",
    "rates and numbers of jobs of a named load scenario (default: 1)",
    {
      pattern: String.raw`^(?=.*[1-9])(?:0?\.\d{1,6}|\d{1,2}(?:\.\d{1,6})?)$`,
      expects: "a factor such as 0.1 or 2",
    },
  ),
  hook: list(
    "--hook <name=command>",
    "of load with faults: your command that restarts, kills, starts, pauses or resumes; repeatable",
    {
      pattern: `^(?:${hookNames.join("|")})=[^]*\\S`,
      expects: `a name (${hookNames.join(", ")}), = and a command`,
      separator: "\n",
    },
  ),
  failOn: text(
    "--fail-on <change>",
    "of compare: a change of times that is a regression, such as slower:10%",
    {
      pattern: String.raw`^slower:\d{1,3}(?:\.\d{1,2})?%$`,
      expects: "a change such as slower:10%",
    },
  ),
  mix: fileOrObject(
    "--mix <file>",
    "what `load mix` and faults send: operations, rates and jobs (docs/before-a-release.md)",
    "the path of a mix, or in a config file the mix itself",
  ),
  objectives: fileOrObject(
    "--objectives <file>",
    "what you promise: percentiles, errors, delays, judged by `load mix`",
    "the path of a file of objectives, or in a config file the objectives themselves",
  ),
  scenarios: flag(
    "--scenarios",
    "the load scenarios instead, with what each asks, needs and costs",
  ),
  rate: integer(
    "--rate <n>",
    "how many requests a second the target takes (default: found out where it refuses some)",
    [1, 1_000_000],
  ),
  timeLimit: text(
    "--time-limit <duration>",
    "the longest that the whole run may take; what is not decided then is inconclusive",
    { pattern: positiveDurationPattern, expects: duration.expects },
  ),
  maxJobs: integer(
    "--max-jobs <n>",
    "the most jobs that load may submit; what does not fit is not run",
    [0, 1_000_000_000],
  ),
  maxRequests: integer(
    "--max-requests <n>",
    "the most requests that load may send; what does not fit is not run",
    [0, 1_000_000_000],
  ),
  segment: text(
    "--segment <i/n>",
    "be runner i of n that share k6's rates or a scenario; `report` puts them together",
    { pattern: "^[0-9]{1,3}/[0-9]{1,3}$", expects: "which of how many runners, such as 1/3" },
  ),
  startAt: text("--start-at <moment>", "when all runners begin, such as 2026-01-31T12:00:00Z", {
    pattern: momentPattern,
    expects: "a moment such as 2026-01-31T12:00:00Z",
  }),
  distributed: text(
    "--distributed <system>",
    "k8s: write what the k6 operator needs for rates or scenarios, and run nothing",
    oneOf(["k8s"]),
  ),
  runners: integer("--runners <n>", "how many runners share them (default: 2)", [1, 100]),
  catalogue: text(
    "--catalogue <whom>",
    "server (default), client or worker: whose requirements are listed",
    oneOf(everyJudged),
  ),
  verbose: flag("--verbose", "print a line for each check as it ends; of serve, for each request"),
  force: flag("--force", "write over a file that is there"),
  watch: flag(
    "--watch",
    "after the run wait for a key: r what is not settled again, a everything, q quit",
  ),
  json: flag("--json", "write JSON for a program to read"),
};

/** The name of a setting, as in a config file. */
export type SettingName = keyof typeof rows;

/** The settings as sources write them, all optional. */
export type SettingValues = { [Name in SettingName]?: ValueOf<(typeof rows)[Name]> };

/** All options: their types, the schemas that check every source, and the words of error messages. */
export const optionRows: Readonly<Record<SettingName, OptionRow>> = rows;

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(optionRows, name);
}

/** Every setting's name. */
export const settingNames: readonly SettingName[] = Object.keys(optionRows).filter(isSettingName);

/** The long names of an option; its own name is last: `["--url", "--base-url"]`. */
export function longNames(setting: SettingName): readonly string[] {
  return optionRows[setting].flags.match(/--[a-z-]+/g) ?? [];
}

/** The environment variables of an option, its own last: QUEUEPROOF_ and the option's name in capitals. */
export function environmentNames(setting: SettingName): readonly string[] {
  return longNames(setting).map(
    (name) => `QUEUEPROOF_${name.slice(2).replaceAll("-", "_").toUpperCase()}`,
  );
}
