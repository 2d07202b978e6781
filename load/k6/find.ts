import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, constants, readFile, writeFile } from "node:fs/promises";
import { basename, delimiter, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

import { userCache } from "../../client/user-cache.ts";

const execute = promisify(execFile);

/** A k6 that answered with a version the scenarios are written for. */
export interface K6 {
  readonly path: string;
  /** Without the leading v. */
  readonly version: string;
  readonly source: "K6_PATH" | "PATH" | "cache";
}

/** Why there is no k6: where it was looked for, and how to get one. */
export interface MissingK6 {
  readonly missing: string;
}

export interface K6Search {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where `installK6` puts it. */
  readonly cacheDirectory: string;
}

const binaryName = process.platform === "win32" ? "k6.exe" : "k6";

/** `k6 version` takes some 20 ms; whatever takes this long is no k6. */
const versionTimeoutMs = 10_000;

const howToGetIt =
  "`queueproof k6 install` builds it where Go is installed; K6_PATH names one that exists";

/**
 * The folder of k6 in the user's own cache. It is never one of the working directory: a
 * checkout could bring along a program there that would be run with the key.
 */
export function k6Cache(environment: K6Search["environment"]): string {
  return join(userCache(environment), "k6");
}

/** The path of a cached k6. */
export function cachedK6Path(cacheDirectory: string): string {
  return join(resolve(cacheDirectory), binaryName);
}

/** The file beside a cached k6 that tells its SHA-256, as `sha256sum` writes it. */
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
 * Looks for k6 in K6_PATH, on PATH, then in the user's cache. A K6_PATH that cannot be used ends
 * the search: the user meant that one. The npm package called k6 is a placeholder and never looked at.
 */
export async function findK6({ environment, cacheDirectory }: K6Search): Promise<K6 | MissingK6> {
  const named = environment["K6_PATH"];
  if (named !== undefined && named !== "") {
    const version = await versionOf(resolve(named));
    if (typeof version === "string") return { path: resolve(named), version, source: "K6_PATH" };
    return { missing: `K6_PATH is ${named}: ${version.problem}` };
  }

  const problems: string[] = [];
  for (const { path, source } of candidates(environment, cacheDirectory)) {
    if (!(await isExecutable(path))) continue;
    const foreign = source === "cache" ? await whyNotBuilt(path) : undefined;
    const version = foreign === undefined ? await versionOf(path) : { problem: foreign };
    if (typeof version === "string") return { path, version, source };
    problems.push(`${path}: ${version.problem}`);
  }
  const seen = problems.length === 0 ? "" : ` (${problems.join("; ")})`;
  return { missing: `no k6 on PATH or in the user's cache${seen}; ${howToGetIt}` };
}

interface Candidate {
  readonly path: string;
  readonly source: "PATH" | "cache";
}

function candidates(
  environment: K6Search["environment"],
  cacheDirectory: string,
): readonly Candidate[] {
  const folders = (environment["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "" && !folder.includes("node_modules"));
  return [
    ...folders.map((folder) => ({ path: join(folder, binaryName), source: "PATH" as const })),
    { path: cachedK6Path(cacheDirectory), source: "cache" },
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
async function versionOf(path: string): Promise<string | { readonly problem: string }> {
  let said: string;
  try {
    // Any k6 that lies on PATH is asked, so it gets none of the keys that the environment may hold.
    const { PATH, HOME } = process.env;
    const options = { timeout: versionTimeoutMs, env: { PATH, HOME } };
    ({ stdout: said } = await execute(path, ["version"], options));
  } catch (error) {
    return { problem: `it does not run (${error instanceof Error ? error.message : "unknown"})` };
  }
  const version = readK6Version(said);
  if (version === undefined) return { problem: "it does not answer as k6 does" };
  if (!isSupportedK6(version))
    return { problem: `it is ${version}; 1.8 and later or 2.x is needed` };
  return version;
}

/** The version in what `k6 version` prints, without its v. */
export function readK6Version(said: string): string | undefined {
  return /^k6(?:\.exe)? v(\d+\.\d+\.\d+\S*)/m.exec(said)?.[1];
}

/** Whether the scenarios are known to run on it: 1.8 and later of 1, and 2. */
export function isSupportedK6(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 2 || (major === 1 && minor >= 8);
}
