import { execFile, spawn } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { watchCommand } from "../cli/command.ts";
import type { CommandEnd } from "../cli/command.ts";
import { temporaryDirectory } from "../cli/temporary-directory.ts";
import { main, root } from "../project.ts";
import { waitLimits } from "../wait-limits.ts";

/** What a reader puts in place of the placeholders on the pages. */
export interface ReadersServer {
  readonly baseUrl: string;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly foreignKey: string;
}

/** Makes a directory like a reader's: `npx queueproof`, `npm start` and `dist` work in it. */
export function readersDirectory(): string {
  const directory = temporaryDirectory();
  const programs = join(directory, "bin");
  mkdirSync(programs);
  symlinkSync(join(root, "dist"), join(directory, "dist"));
  const started = `exec '${process.execPath}' '${main}' "$@"`;
  writeProgram(programs, "queueproof", [started]);
  writeProgram(programs, "npx", ["shift", started]);
  writeProgram(programs, "npm", npmLines());
  return directory;
}

/** Replaces npm for the scripts that the pages show, but does not build again what other tests use. */
function npmLines(): readonly string[] {
  const { start, test } = manifest.scripts;
  return [
    'name="$1"; shift',
    'if [ "$1" = "--" ]; then shift; fi',
    'case "$name" in',
    `start) ${built(start)} "$@" ;;`,
    `test) ${built(test)} --root ${root} "$@" ;;`,
    'run) [ "$1" = build ] ;;',
    "ci) : ;;",
    "*) exit 64 ;;",
    "esac",
  ];
}

function built(script: string): string {
  return script.replace(/^npm run build && /, "");
}

function writeProgram(directory: string, name: string, lines: readonly string[]): void {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${lines.join("\n")}\n`);
  chmodSync(path, 0o755);
}

/** Replaces the placeholders on the pages with a server, an endpoint and keys. */
export function withServer(text: string, server: ReadersServer): string {
  const { baseUrl, endpointId, apiKey, foreignKey } = server;
  const options = `--base-url ${baseUrl} --endpoint ${endpointId} --api-key ${apiKey}`;
  return text
    .replaceAll(/(--base-url )(?:URL|…)/g, `$1${baseUrl}`)
    .replaceAll(/(--endpoint )(?:ID|…|my-endpoint)/g, `$1${endpointId}`)
    .replaceAll(/(--api-key )(?:KEY|…)/g, `$1${apiKey}`)
    .replaceAll(/(--foreign-key )…/g, `$1${foreignKey}`)
    .replaceAll(/(_BASE_URL=)https:\/\/…/g, `$1${baseUrl}`)
    .replaceAll(/(_ENDPOINT=)(?:…|my-endpoint)/g, `$1${endpointId}`)
    .replaceAll(/(_API_KEY=)…/g, `$1${apiKey}`)
    .replaceAll("http://127.0.0.1:8080", baseUrl)
    .replaceAll(" …", ` ${options}`);
}

export interface Ended {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs shell lines to their end or to the first that fails. The output includes standard error. */
export async function runLines(
  lines: string,
  directory: string,
  environment: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const options = {
    cwd: directory,
    env: environmentIn(directory, environment),
    timeout: waitLimits.timeout,
  };
  return new Promise((resolve) => {
    execFile("sh", ["-c", `exec 2>&1\nset -e\n${lines}`], options, (error, output) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), output });
    });
  });
}

/** Starts a line that runs until it is stopped; `printed` resolves when the output matches. */
export function startLine(
  line: string,
  directory: string,
): {
  readonly printed: (pattern: RegExp) => Promise<string>;
  readonly stop: () => Promise<CommandEnd>;
} {
  // exec makes the signal reach the program rather than a shell around it.
  const inPlace = line.replace(/(?<=^|&& )(?:(?:npx )?queueproof|node) /, "exec $&");
  const env = environmentIn(directory, {});
  const { printed, kill, exit } = watchCommand(
    spawn("sh", ["-c", `exec 2>&1\n${inPlace}`], { cwd: directory, env }),
  );
  return {
    printed: async (pattern) => (await printed(pattern))[0],
    stop: async () => {
      kill("SIGTERM");
      return exit;
    },
  };
}

function environmentIn(directory: string, more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH = "" } = process.env;
  return { ...process.env, PATH: [join(directory, "bin"), PATH].join(delimiter), ...more };
}
