import { once } from "node:events";
import { quoted } from "../../client/shell-word.ts";
import type { WorkerLines } from "../../reference/service.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { LoggedRequest } from "../../reference/request-log.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { coloursFor } from "../colours.ts";
import { listenForInterruption } from "../interruption.ts";
import type { Io } from "../io.ts";
import { listenError } from "../listen-error.ts";
import { oneLine } from "../progress/one-line.ts";
import { readHandler } from "../settings/handler-file.ts";
import type { ServeSettings } from "../settings/serve.ts";
import { behaviourOf, faultList } from "./serve-behaviour.ts";
import type { PrintedLines } from "../../traffic/workers/printed-lines.ts";
import { serveGreeting } from "./serve-greeting.ts";
import { printedLinesOn, startServedWorkers } from "./serve-workers.ts";

/** How long the state may take to be written once requests under way have had their time. */
const writingMsMax = 30_000;

/**
 * Runs the embedded reference until SIGINT, SIGTERM or SIGHUP. Then gives requests under way time to end, writes the state
 * and returns 0.
 * @throws CommandError PORT_IN_USE or CANNOT_LISTEN; WRONG_USAGE for an unknown fault.
 */
export async function serve(settings: ServeSettings, io: Io): Promise<number> {
  if (settings.listFaults) {
    io.write(faultList());
    return 0;
  }
  const interruption = listenForInterruption(undefined, settings.stopWithinMs + writingMsMax);
  try {
    const log = (line: string): void => io.writeError(`warning: ${oneLine(line)}\n`);
    const lines = printedLinesOn(io);
    const reference = await startServing(settings, io, { log, lines });
    io.write(settings.json ? firstLine(reference) : greeting(reference, settings));
    const { workerProgram } = settings;
    try {
      const workers =
        workerProgram && (await startServedWorkers(reference, workerProgram, { lines, io }));
      if (!interruption.signal.aborted) await once(interruption.signal, "abort");
      await workers?.stop();
    } finally {
      await reference.stop({ withinMs: settings.stopWithinMs });
    }
    return 0;
  } finally {
    interruption.stop();
  }
}

interface Listeners {
  /** Is called with warnings for the operator. */
  readonly log?: (line: string) => void;
  /** What workers print. */
  readonly lines?: PrintedLines;
}

/**
 * Starts the reference that the settings describe.
 * @throws the errors of `serve`.
 */
export async function startServing(
  settings: ServeSettings,
  io: Io,
  { log, lines }: Listeners = {},
): Promise<Reference> {
  const behaviour = behaviourOf(settings.dialect, settings);
  const { handlerFile } = settings;
  const handler = handlerFile === undefined ? undefined : await readHandler(handlerFile, io);
  try {
    const onRequest = settings.verbose ? printRequests(io) : undefined;
    const more = { behaviour, handler, onRequest, console: settings.control, metrics: true, log };
    const workerLines: WorkerLines | undefined =
      settings.workerProgram && lines && ((...asked) => lines.of(...asked));
    return await startReference({ ...settings, ...more, workerLines });
  } catch (error) {
    throw listenError(error, settings);
  }
}

/** Prints a line for each request as it was answered or broken off, those that were refused in their colour. */
function printRequests(io: Io): (request: LoggedRequest) => void {
  const { red } = coloursFor(io);
  return ({ atMs, method, path, status, durationMs = 0 }) => {
    const isRefused = status === undefined || status >= 400;
    const answer = String(status ?? "broken off");
    const time = new Date(atMs).toISOString().slice("2026-01-31T".length, -1);
    const asked = oneLine(`${method} ${path}`);
    io.write(`${time}  ${asked}  ${isRefused ? red(answer) : answer}  ${durationMs} ms\n`);
  };
}

/** Prints the command with its full path, since `npx queueproof` may find nothing in another terminal's directory. */
function greeting(reference: Reference, settings: ServeSettings): string {
  const command = `node ${quoted(process.argv[1] ?? "")}`;
  return serveGreeting(reference, { ...settings, command });
}

function firstLine(reference: Reference): string {
  const { baseUrl, controlUrl, endpointId, apiKey, foreignKey, workerEnvironment } = reference;
  const told = { baseUrl, controlUrl, endpointId, apiKey, foreignKey, workerEnvironment };
  return `${JSON.stringify(told)}\n`;
}
