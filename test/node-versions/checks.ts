import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { texts } from "../cli/record.ts";
import manifest from "../../package.json" with { type: "json" };
import { parseReport } from "../../reports/parse-report.ts";
import { runProgram } from "./install.ts";
import type { ProgramEnd } from "./install.ts";

/** The installed package on one version of Node. */
export interface Installation {
  /** The Node binary. */
  readonly node: string;
  readonly main: string;
  /** An empty folder: reports and the state file go there, and no k6 is found in it. */
  readonly folder: string;
}

export interface VersionCheck {
  readonly name: string;
  /** Returns what is wrong, one line each; empty where all is right. */
  readonly run: (installation: Installation) => Promise<readonly string[]>;
}

const timeoutMs = 600_000;

/** What has to work on every version. */
export const versionChecks: readonly VersionCheck[] = [
  { name: "--version", run: printsVersion },
  {
    name: "contract",
    run: (installation) => reportsNoFailure(installation, ["contract", "--reference"]),
  },
  {
    // Load requirements that the probe and autocannon decide in seconds. k6 is neither on PATH nor built.
    name: "load",
    run: (installation) =>
      reportsNoFailure(installation, ["load", "--only", "RATE-06", "--only", "CONC-02"]),
  },
  { name: "serve", run: servesUntilStopped },
];

async function printsVersion(installation: Installation): Promise<readonly string[]> {
  const end = await queueproof(installation, ["--version"]);
  const isRight = end.output === `${manifest.version}\n`;
  return [...endProblems(end), ...(isRight ? [] : [`printed ${JSON.stringify(end.output)}`])];
}

async function reportsNoFailure(
  installation: Installation,
  words: readonly string[],
): Promise<readonly string[]> {
  const directory = join(installation.folder, `report-${words[0]}`);
  const end = await queueproof(installation, [...words, "--report", directory]);
  return [...endProblems(end), ...(await reportProblems(join(directory, "report.json")))];
}

async function reportProblems(file: string): Promise<readonly string[]> {
  try {
    const { summary, requirements } = parseReport(await readFile(file, "utf8"), file);
    const failed = requirements.filter(({ verdict }) => verdict === "fail");
    const none = summary.requirements.pass === 0 ? ["no requirement passed"] : [];
    return [...none, ...failed.map(({ id, reason }) => `${id} failed: ${reason}`)];
  } catch (error) {
    return [String(error)];
  }
}

/** Starts the server with a state file, so that the native module of the database is loaded. */
async function servesUntilStopped(installation: Installation): Promise<readonly string[]> {
  const words = ["serve", "--json", "--state", join(installation.folder, "state.db")];
  let health: Promise<readonly string[]> | undefined;
  const end = await queueproof(installation, words, (output, stop) => {
    if (!output.includes("\n")) return;
    health ??= healthProblems(output).finally(stop);
  });
  return [...((await health) ?? ["it told no address"]), ...endProblems(end)];
}

async function healthProblems(firstLine: string): Promise<readonly string[]> {
  try {
    const { baseUrl, endpointId, apiKey } = texts(firstLine);
    const { status } = await fetch(`${baseUrl}/v2/${endpointId}/health`, {
      headers: { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(60_000),
    });
    return status === 200 ? [] : [`health answered ${status}`];
  } catch (error) {
    return [`health: ${String(error)}`];
  }
}

function queueproof(
  { node, main, folder }: Installation,
  words: readonly string[],
  onOutput?: (output: string, stop: () => void) => void,
): Promise<ProgramEnd> {
  return runProgram(node, [main, ...words], {
    folder,
    // The program sees neither the settings nor the tools of whoever runs this.
    environment: { PATH: "", HOME: folder },
    timeoutMs,
    ...(onOutput !== undefined && { onOutput }),
  });
}

/** What is wrong with how a program ended; Node warns of deprecated and experimental features on standard error. */
function endProblems({ exitCode, errors }: ProgramEnd): readonly string[] {
  const written = errors.trim() === "" ? [] : [`wrote to standard error: ${errors.trim()}`];
  return exitCode === 0 ? written : [`exit code ${exitCode}`, ...written];
}
