import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { redirectsMax } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import {
  k6Config,
  routeEnvironment,
  routeVariables,
  scriptEnvironment,
} from "./request-settings.ts";
import { segmentArguments } from "./segment.ts";
import type { Segment } from "./segment.ts";
import type { LoadSupervision } from "../meter.ts";
import { isWholeRun, meaningOfExit } from "./exit-codes.ts";
import type { FoundTool } from "../go-tools/find.ts";
import { LiveAnswers } from "./live-answers.ts";
import { readK6Summary, unsentReason } from "./summary.ts";
import type { K6Summary } from "./summary.ts";

export interface K6Run extends LoadSupervision {
  readonly k6: Pick<FoundTool, "path">;
  readonly rules: RequestRules;
  /** The script's file. */
  readonly script: string;
  /** What the script finds as JSON in QUEUEPROOF_SCENARIO; it may hold keys, and is never written down. */
  readonly settings?: unknown;
  /** k6's own HTML report is written here, if it is wanted. */
  readonly dashboard?: Dashboard | undefined;
  /** Every single value is written here, for plots and for merging: a name that ends in `.json.gz`. */
  readonly pointsFile?: string | undefined;
  /** The share of the test that this process does. */
  readonly segment?: Segment | undefined;
  /** When all the processes of the test begin, in milliseconds since the epoch. */
  readonly startAtMs?: number | undefined;
  /** After this it is stopped, and its figures count for nothing. */
  readonly timeLimitMs: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes the secrets out of what k6 says. */
  readonly redact?: (text: string) => string;
}

/** Where k6's own report goes. */
interface Dashboard {
  readonly directory: string;
  readonly name: string;
}

/** k6's own report of that name, in the folder k6 of a report's directory; none where there is no directory. */
export function dashboardIn(
  reportDirectory: string | undefined,
  name: string,
): Dashboard | undefined {
  return reportDirectory === undefined
    ? undefined
    : { directory: join(reportDirectory, "k6"), name };
}

export interface K6Ending {
  readonly exitCode: number | null;
  /** Absent where k6 did not come to its end. */
  readonly summary?: K6Summary;
  /** Why its figures decide nothing: it broke, was stopped, or did too little. */
  readonly undecided?: string;
  readonly durationMs: number;
}

const lastWordsMax = 600;

/** More is kept until secrets are taken out, because half of a secret would not be recognised. */
const heardMax = 65_536;

const caFile = "authorities.pem";

/** How long k6 gets to stop by itself before it is killed. */
const stopGraceMs = 5_000;

/**
 * Runs one script and reads its summary. Usage reports, the look-up of extensions and the REST port
 * are off, and no option of the user's own k6 configuration reaches it.
 */
export async function runK6(run: K6Run): Promise<K6Ending> {
  const scratch = await mkdtemp(join(tmpdir(), "queueproof-k6-"));
  try {
    await writeFile(join(scratch, "config.json"), JSON.stringify(k6Config(run.rules)));
    await writeFile(join(scratch, caFile), run.rules.connection.ca ?? "");
    if (run.dashboard !== undefined) await mkdir(run.dashboard.directory, { recursive: true });
    const startedMs = performance.now();
    const end = await execute(run, scratch);
    const durationMs = Math.round(performance.now() - startedMs);
    const lastWords = (run.redact ?? String)(end.lastWords).trim().slice(-lastWordsMax);
    const outcome = await outcomeOf(run, { ...end, lastWords }, join(scratch, "summary.json"));
    return { exitCode: end.exitCode, durationMs, ...outcome };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface ProcessEnd {
  readonly exitCode: number | null;
  readonly lastWords: string;
  readonly stoppedFor?: string | undefined;
}

async function outcomeOf(
  { segment }: K6Run,
  { exitCode, lastWords, stoppedFor }: ProcessEnd,
  summaryFile: string,
): Promise<Pick<K6Ending, "summary" | "undecided">> {
  if (stoppedFor !== undefined) return { undecided: `k6 was stopped: ${stoppedFor}` };
  if (!isWholeRun(exitCode)) {
    const said = lastWords === "" ? "" : `; it said: ${lastWords}`;
    return { undecided: `k6 did not run to its end: ${meaningOfExit(exitCode)}${said}` };
  }
  let summary: K6Summary;
  try {
    summary = readK6Summary(await readFile(summaryFile, "utf8"));
  } catch (error) {
    return { undecided: `k6 left no readable summary: ${String(error)}` };
  }
  // The share of one of several processes may be nothing.
  const undecided = segment === undefined ? unsentReason(summary) : undefined;
  return undecided === undefined ? { summary } : { summary, undecided };
}

function execute(run: K6Run, scratch: string): Promise<ProcessEnd> {
  const child = spawn(run.k6.path, argumentsOf(run, scratch), {
    env: environmentOf(run, join(scratch, caFile)),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const answers = run.meter === undefined ? undefined : new LiveAnswers(run.meter);
  child.stdout.setEncoding("utf8").on("data", (text: string) => answers?.read(text));
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = `${lastWords}${text}`.slice(-heardMax);
  });

  const stopping = stopWhen(child, run);
  return new Promise((done) => {
    child.on("error", (error) => {
      stopping.end();
      done({ exitCode: null, lastWords: error.message });
    });
    child.on("close", (exitCode) => {
      stopping.end();
      answers?.end();
      done({ exitCode, lastWords, stoppedFor: stopping.stoppedFor });
    });
  });
}

interface Stopping {
  readonly stoppedFor: string | undefined;
  end(): void;
}

/** Ends k6 on the signal, at the time limit, and with this process. */
function stopWhen(child: ChildProcess, { timeLimitMs, signal }: K6Run): Stopping {
  let stoppedFor: string | undefined;
  let killing: NodeJS.Timeout | undefined;
  const stop = (reason: string): void => {
    stoppedFor ??= reason;
    child.kill("SIGINT");
    killing ??= setTimeout(() => child.kill("SIGKILL"), stopGraceMs);
  };
  const onAbort = (): void =>
    stop(typeof signal?.reason === "string" ? signal.reason : "the run was interrupted");
  const onExit = (): void => void child.kill("SIGKILL");
  const limit = setTimeout(() => stop(`it took more than ${timeLimitMs} ms`), timeLimitMs);
  signal?.addEventListener("abort", onAbort);
  process.on("exit", onExit);
  if (signal?.aborted === true) onAbort();
  return {
    get stoppedFor(): string | undefined {
      return stoppedFor;
    },
    end: () => {
      clearTimeout(limit);
      clearTimeout(killing);
      signal?.removeEventListener("abort", onAbort);
      process.off("exit", onExit);
    },
  };
}

function argumentsOf(run: K6Run, scratch: string): readonly string[] {
  const { script, pointsFile, segment, meter } = run;
  // An empty address opens no REST port. The summary mode `disabled` would leave the export out, too.
  return [
    "run",
    `--config=${join(scratch, "config.json")}`,
    "--no-color",
    "--no-usage-report",
    "--address=",
    `--max-redirects=${redirectsMax}`,
    "--summary-mode=compact",
    `--summary-export=${join(scratch, "summary.json")}`,
    "--summary-trend-stats=avg,min,med,max,p(75),p(90),p(95),p(99),p(99.9)",
    ...(pointsFile === undefined ? [] : pointsArguments(pointsFile)),
    // Quiet, so that standard output holds no other lines meanwhile.
    ...(meter === undefined ? [] : ["--quiet", ...pointsArguments("-")]),
    ...(segment === undefined ? [] : segmentArguments(segment)),
    script,
  ];
}

/**
 * Leaves out the tags that nothing reads, which would make a point twice as long.
 * @param file `-` is standard output.
 */
export function pointsArguments(file: string): readonly string[] {
  return [`--out=json=${file}`, "--system-tags=status,scenario,name,error_code"];
}

/** The user's environment without options of k6's and settings of ours, then what the run needs. */
function environmentOf(run: K6Run, authorities: string): NodeJS.ProcessEnv {
  const { rules, environment, settings, dashboard, startAtMs } = run;
  const inherited = Object.entries(environment).filter(
    ([name]) => !/^(K6|QUEUEPROOF)_/.test(name) && !routeVariables.test(name),
  );
  return {
    ...Object.fromEntries(inherited),
    ...routeEnvironment(rules, authorities),
    ...scriptEnvironment(rules, settings),
    ...(startAtMs === undefined ? {} : { QUEUEPROOF_START_AT: String(startAtMs) }),
    ...(dashboard === undefined ? {} : dashboardEnvironment(dashboard)),
  };
}

function dashboardEnvironment({ directory, name }: Dashboard): NodeJS.ProcessEnv {
  return {
    K6_WEB_DASHBOARD: "true",
    K6_WEB_DASHBOARD_PORT: "-1",
    // With the default of 10 s a short run writes no file.
    K6_WEB_DASHBOARD_PERIOD: "1s",
    K6_WEB_DASHBOARD_EXPORT: join(directory, `${name}.html`),
  };
}
