import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, constants, readFile, writeFile } from "node:fs/promises";
import { basename, delimiter, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

import { userCache } from "../../client/user-cache.ts";

const execute = promisify(execFile);

/** A program that Go builds from its module, and how it is found. */
export interface GoTool {
  /** As people call it. */
  readonly name: string;
  /** The name of its file, without an ending. */
  readonly binary: string;
  /** The environment variable that names one. */
  readonly variable: string;
  /** The module that is built, with its version. */
  readonly module: string;
  /** The name of the file that Go makes of it. */
  readonly builtAs: string;
  /** What makes it print its version. */
  readonly versionWord: string;
  /** The version in what it prints then; undefined where it is something else. */
  readonly readVersion: (said: string) => string | undefined;
  /** What is needed in place of a version; undefined where it will do. */
  readonly whyUnsupported: (version: string) => string | undefined;
  /** How to get one. */
  readonly howToGetIt: string;
}

/** A tool that answered with a version that will do. */
export interface FoundTool {
  readonly path: string;
  readonly version: string;
  /** The variable that named it, or where it was found. */
  readonly source: "variable" | "PATH" | "cache";
}

/** Why there is none: where it was looked for, and how to get one. */
export interface MissingTool {
  readonly missing: string;
}

export type ToolEnvironment = Readonly<Record<string, string | undefined>>;

/** The version is printed within some 20 ms; whatever takes this long is another program. */
const versionTimeoutMs = 10_000;

/**
 * The folder of a tool in the user's own cache. It is never one of the working directory: a
 * checkout could bring along a program there that would be run with the key.
 */
export function toolCache({ binary }: GoTool, environment: ToolEnvironment): string {
  return join(userCache(environment), binary);
}

/** The name of its file on this system. */
export function fileNameOf(binary: string): string {
  return process.platform === "win32" ? `${binary}.exe` : binary;
}

/** The path of a cached tool. */
export function cachedToolPath(tool: GoTool, environment: ToolEnvironment): string {
  return join(toolCache(tool, environment), fileNameOf(tool.binary));
}

/** The file beside a cached tool that tells its SHA-256, as `sha256sum` writes it. */
function checksumPathOf(path: string): string {
  return `${path}.sha256`;
}

/** Notes what was built, so that nothing else is run in its place. */
export async function writeChecksum(path: string): Promise<void> {
  await writeFile(checksumPathOf(path), `${await checksumOf(path)}  ${basename(path)}\n`);
}

async function checksumOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Why a file in the cache is not to be run: only what was built there is. */
async function whyNotBuilt(path: string): Promise<string | undefined> {
  const noted = await readFile(checksumPathOf(path), "utf8").catch(() => "");
  if (noted.startsWith(`${await checksumOf(path)} `)) return undefined;
  return "it is not the one that was built there, and is not run: remove it, and build it again";
}

/**
 * Looks for a tool in its variable, on PATH, then in the user's cache. A variable whose file cannot be used
 * ends the search: the user meant that one. What npm packages bring along is never looked at.
 */
export async function findTool(
  tool: GoTool,
  environment: ToolEnvironment,
): Promise<FoundTool | MissingTool> {
  const named = environment[tool.variable];
  if (named !== undefined && named !== "") {
    const version = await versionOf(tool, resolve(named));
    if (typeof version === "string") return { path: resolve(named), version, source: "variable" };
    return { missing: `${tool.variable} is ${named}: ${version.problem}` };
  }

  const problems: string[] = [];
  for (const { path, source } of candidates(tool, environment)) {
    if (!(await isExecutable(path))) continue;
    const foreign = source === "cache" ? await whyNotBuilt(path) : undefined;
    const version = foreign === undefined ? await versionOf(tool, path) : { problem: foreign };
    if (typeof version === "string") return { path, version, source };
    problems.push(`${path}: ${version.problem}`);
  }
  const seen = problems.length === 0 ? "" : ` (${problems.join("; ")})`;
  return { missing: `no ${tool.name} on PATH or in the user's cache${seen}; ${tool.howToGetIt}` };
}

interface Candidate {
  readonly path: string;
  readonly source: "PATH" | "cache";
}

function candidates(tool: GoTool, environment: ToolEnvironment): readonly Candidate[] {
  const folders = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.includes("node_modules"));
  const file = fileNameOf(tool.binary);
  return [
    ...folders.map((folder) => ({ path: join(folder, file), source: "PATH" as const })),
    { path: cachedToolPath(tool, environment), source: "cache" },
  ];
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The version a binary answers with, or why it cannot be used. */
async function versionOf(
  tool: GoTool,
  path: string,
): Promise<string | { readonly problem: string }> {
  let said: string;
  try {
    // Whatever lies on PATH is asked, so it gets none of the keys that the environment may hold.
    const { PATH, HOME } = process.env;
    const options = { timeout: versionTimeoutMs, env: { PATH, HOME } };
    ({ stdout: said } = await execute(path, [tool.versionWord], options));
  } catch (error) {
    return { problem: `it does not run (${error instanceof Error ? error.message : "unknown"})` };
  }
  const version = tool.readVersion(said);
  if (version === undefined) return { problem: `it does not answer as ${tool.name} does` };
  const needed = tool.whyUnsupported(version);
  return needed === undefined ? version : { problem: `it is ${version}; ${needed}` };
}
