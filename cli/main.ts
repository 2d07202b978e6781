#!/usr/bin/env node
import { endWithExitCode, listenEarly } from "./interruption.ts";

const words = process.argv.slice(2);
// The commands that write a report write one however early they are stopped.
if (["contract", "load", "run", "replay"].includes(words[0] ?? "")) listenEarly();

// Loaded only now: a signal that comes while they load would end the process without a report.
const { processIo } = await import("./io.ts");
const { runCommandLine } = await import("./program.ts");

process.exitCode = await runCommandLine(words, processIo());
endWithExitCode();
