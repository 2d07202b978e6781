#!/usr/bin/env node
import { existsSync, mkdirSync } from "node:fs";
import * as nodeModules from "node:module";
import { dirname, join } from "node:path";
import { userCache } from "../client/user-cache.ts";
import { endAsBroken, endWithExitCode, listenEarly } from "./interruption.ts";

const words = process.argv.slice(2);
process.once("uncaughtException", endAsBroken);
// Commands that write a report do so even when they are stopped very early.
if (["contract", "load", "run", "replay", "client", "proxy", "traffic"].includes(words[0] ?? ""))
  listenEarly();

keepWhatIsCompiled();
// These load only after `listenEarly`: otherwise a signal during loading would end the process without a report.
const { processIo } = await import("./io.ts");
const { runCommandLine } = await import("./program.ts");

process.exitCode = await runCommandLine(words, processIo());
endWithExitCode();

/** Node 22 and later compile a script once, where they may write to the user's cache. */
function keepWhatIsCompiled(): void {
  const enableCompileCache: unknown = Reflect.get(nodeModules, "enableCompileCache");
  if (typeof enableCompileCache !== "function") return;
  const cache = userCache(process.env);
  const folder = join(cache, "compiled");
  try {
    // One by one: `recursive` never ends where the system makes no folder, in /proc for example.
    for (const each of [dirname(cache), cache, folder])
      if (!existsSync(each)) mkdirSync(each, { mode: 0o700 });
  } catch {
    return;
  }
  Reflect.apply(enableCompileCache, undefined, [folder]);
}
