#!/usr/bin/env node
import { endAsBroken, endWithExitCode, listenEarly } from "./interruption.ts";

const words = process.argv.slice(2);
process.once("uncaughtException", endAsBroken);
// Commands that write a report do so even when they are stopped very early.
if (["contract", "load", "run", "replay", "client", "proxy", "traffic"].includes(words[0] ?? ""))
  listenEarly();

// These load only after `listenEarly`: otherwise a signal during loading would end the process without a report.
const { processIo } = await import("./io.ts");
const { runCommandLine } = await import("./program.ts");

process.exitCode = await runCommandLine(words, processIo());
endWithExitCode();
