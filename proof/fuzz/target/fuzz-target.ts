import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";

import { main } from "../../../test/project.ts";
import { failureOf } from "../fuzz.ts";
import type { FuzzEnd, FuzzOptions } from "../fuzz.ts";
import { HostileTarget, KEY, knock, reaction } from "./hostile-target.ts";
import type { Reaction } from "./hostile-target.ts";

/** Requirements that a real clock decides in seconds. */
const selections = fc.constantFrom(
  "AUTH-01,AUTH-02,AUTH-03",
  "SUBM-02,SUBM-03,SUBM-06",
  "STAT-07,STAT-09",
  "POLI-01,POLI-02",
  "RUNA-01,SYNC-01,SYNC-03",
  "HOOK-01",
);
const attack = fc.record({
  only: selections,
  reactions: fc.array(fc.option(reaction, { freq: 2 }), { minLength: 5, maxLength: 30 }),
  knocks: fc.array(knock, { maxLength: 5 }),
});

/** How many runs go on at the same time. */
const atOnce = 3;
const attacks = fc.array(attack, { minLength: atOnce, maxLength: atOnce });

interface Attack {
  readonly only: string;
  readonly reactions: readonly (Reaction | null)[];
  readonly knocks: readonly string[];
}

/** The exit codes that a run may end with (docs/options.md#exit-codes). */
const exitCodes = new Set([0, 1, 3, 4]);
/** What a run may keep at the same time, in megabytes; one that needs more dies. Its garbage comes on top of that. */
const keptMegabytesMax = 256;
/** The most memory that a run may take, in kilobytes. */
const memoryKilobytesMax = 500_000;
/** The longest that the event loop may be held, in milliseconds. */
const blockedMsMax = 1000;
/** A run ends by itself long before this. */
const hangMs = 120_000;

/**
 * Runs the built `contract` against targets whose answers hold the key, markup, sizes, pieces and deaths, until the time
 * is over. Problems are the key in any output, an exit code that is not documented, an error of the harness's own, more than 256 MB that is kept, an event loop
 * that was held for more than a second, and a run that does not end.
 */
export async function fuzzTarget({ seconds, seed }: FuzzOptions): Promise<FuzzEnd> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-fuzz-"));
  const targets = await Promise.all(
    Array.from({ length: atOnce }, async () => HostileTarget.start()),
  );
  const most = { memoryKilobytes: 0, blockedMs: 0 };
  const codes = new Map<number, number>();
  try {
    const tryOne = async (
      target: HostileTarget,
      { only, reactions, knocks }: Attack,
    ): Promise<void> => {
      target.behave(reactions, knocks);
      const place = mkdtempSync(join(directory, "run-"));
      const { code, output, usage } = await run(target.baseUrl, only, place);
      codes.set(code, (codes.get(code) ?? 0) + 1);
      most.memoryKilobytes = Math.max(most.memoryKilobytes, usage.memoryKilobytes);
      most.blockedMs = Math.max(most.blockedMs, usage.blockedMs);
      if (/(?:harness|itself) broke/.test(output)) throw new Error(output.slice(-4000));
      if (!exitCodes.has(code)) throw new Error(`exit code ${code}: ${output.slice(-2000)}`);
      if (usage.memoryKilobytes > memoryKilobytesMax)
        throw new Error(`memory: ${usage.memoryKilobytes} kB`);
      if (usage.blockedMs > blockedMsMax)
        throw new Error(`the event loop was held for ${usage.blockedMs} ms`);
      for (const [name, text] of outputsOf(place, output)) {
        const at = placeOfKey(text);
        if (at >= 0)
          throw new Error(`the key in ${name}: ${text.slice(Math.max(0, at - 200), at + 100)}`);
      }
      rmSync(place, { recursive: true });
    };
    const property = fc.asyncProperty(attacks, async (each) => {
      await Promise.all(
        each.map(async (one, at) => {
          const target = targets[at];
          if (target !== undefined) await tryOne(target, one);
        }),
      );
    });
    const problems = await failureOf(property, seed, seconds * 1000);
    const runs = [...codes.values()].reduce((sum, count) => sum + count, 0);
    const figures = {
      runs,
      requests: targets.reduce((sum, target) => sum + target.requests, 0),
      ...most,
      exitCodes: Object.fromEntries(codes),
    };
    return { problems, figures };
  } finally {
    await Promise.all(targets.map(async (target) => target.stop()));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A part of the key that is long enough to be of use, and that nothing else contains. */
const part = KEY.slice(0, 11);
const encodedPart = Buffer.from(KEY.slice(0, 9)).toString("base64");

function placeOfKey(text: string): number {
  return Math.max(text.indexOf(part), text.indexOf(encodedPart));
}

function outputsOf(directory: string, printed: string): readonly (readonly [string, string])[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "usage.json")
    .map(
      (entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")] as const,
    );
  return [["what was printed", printed], ...files];
}

interface Usage {
  readonly memoryKilobytes: number;
  readonly blockedMs: number;
}

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly usage: Usage;
}

/**
 * Has the child write down what it took, when it ends. The event loop is held for as long as it computes between two ticks
 * of a timer: time in which another process had the processor is not counted.
 */
const observer = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from "node:fs";
  let blockedMs = 0, before, startCpu;
  const tick = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage();
    const cpuMs = (user + system) / 1000;
    if (before !== undefined) blockedMs = Math.max(blockedMs, Math.min(now - before, cpuMs - startCpu));
    [before, startCpu] = [now, cpuMs];
  };
  setTimeout(() => setInterval(tick, 10).unref(), 1500).unref();
  process.on("exit", () => {
    tick();
    writeFileSync(process.env.USAGE_FILE, JSON.stringify({
      memoryKilobytes: process.resourceUsage().maxRSS,
      blockedMs: Math.round(blockedMs),
    }));
  });
`)}`;

/**
 * Runs the built `contract` for at most 8 s.
 * @param directory where its report goes
 */
export async function run(baseUrl: string, only: string, directory: string): Promise<Ended> {
  const usageFile = join(directory, "usage.json");
  rmSync(usageFile, { force: true });
  const words = [
    `--max-old-space-size=${keptMegabytesMax}`,
    "--import",
    observer,
    main,
    "contract",
    "--base-url",
    baseUrl,
    "--endpoint",
    "e",
    "--api-key",
    KEY,
    "--capability",
    "handler",
    "--only",
    only,
    "--timeout",
    "1s",
    "--time-limit",
    "8s",
    "--report",
    join(directory, "report"),
  ];
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, words, {
    cwd: directory,
    env: { PATH, HOME, USAGE_FILE: usageFile },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), hangMs);
  const code = await new Promise<number>((resolve) => {
    child.on("close", (exitCode) => resolve(exitCode ?? -1));
  });
  clearTimeout(timer);
  const usage: unknown = JSON.parse(readFileSync(usageFile, "utf8"));
  return { code, output, usage: usageOf(usage) };
}

function usageOf(value: unknown): Usage {
  if (typeof value !== "object" || value === null) throw new Error("the run wrote down no usage");
  const number = (name: string): number => Number(Reflect.get(value, name));
  return { memoryKilobytes: number("memoryKilobytes"), blockedMs: number("blockedMs") };
}
