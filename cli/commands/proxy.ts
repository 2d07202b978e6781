import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import type { WriteStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { finished } from "node:stream/promises";
import { setTimeout as pause } from "node:timers/promises";
import { noRepeatLine } from "../../reports/repeat-line.ts";
import { differenceText } from "../../reports/sentence.ts";
import { certificatesFor, isOwnAuthority } from "../../traffic/certificates.ts";
import { proxyVariables, withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { ProgramStartError, startProgram } from "../../traffic/program.ts";
import { KeyDigest, lineOf, withoutContent } from "../../traffic/recording/record-line.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import { startRelay } from "../../traffic/recording/relay.ts";
import type { Relay } from "../../traffic/recording/relay.ts";
import { LivePage } from "../../traffic/recording/live-page.ts";
import type { LiveFinding } from "../../traffic/recording/live-page.ts";
import { coloursFor } from "../colours.ts";
import { CommandError, messageOf, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { listenError } from "../listen-error.ts";
import { oneLine } from "../progress/one-line.ts";
import { reportedRun } from "../reported-run.ts";
import type { ProxySettings } from "../settings/traffic.ts";
import { judgeFor, seenText, trafficReport } from "../traffic-report.ts";

/** How much of a body is looked at. */
const bodyBytesMax = 20_971_520;

/**
 * Passes requests on until Ctrl-C, for a time, or while a program runs; then judges what passed, and returns the exit
 * code: 3 where the program failed and nothing else did.
 * @throws CommandError PORT_IN_USE or CANNOT_LISTEN; WRONG_USAGE where the program cannot be started, or the recording
 * or the authority would be written over another file
 */
export async function proxy(settings: ProxySettings, io: Io): Promise<number> {
  const { recordFile, caOutFile } = settings;
  if (holdsSomething(recordFile)) throw writtenOver(recordFile, "--record");
  if (holdsSomething(caOutFile) && !isOwnAuthority(readFileSync(caOutFile, "utf8"))) {
    throw writtenOver(caOutFile, "--ca-out");
  }
  let programFailed = false;
  const fail = coloursFor(io).red("fail");
  const demands = { ...settings, repeatLineOf: noRepeatLine };
  const { exitCode } = await reportedRun(demands, io, async (signal) => {
    const startedAt = new Date();
    const findings: LiveFinding[] = [];
    const judge = judgeFor(settings, (finding) => {
      findings.push(finding);
      io.write(`${fail} ${oneLine(`${finding.requirement}: ${differenceText(finding)}`)}\n`);
    });
    const page = new LivePage({
      title: `Between clients and ${settings.baseUrl}.`,
      findings: () => findings,
      evidenceOf: (exchange) => judge.evidenceOf(exchange),
    });
    const record = new Recording(settings);
    const watch = new Watch(settings, io);
    const relay = await listening(
      settings,
      (exchange) => {
        judge.observe(exchange);
        record.write(exchange);
        watch.look(exchange);
        page.add(exchange);
      },
      watch.serverError.bind(watch),
    );
    watch.origin = relay.baseUrl;
    const shown = await page.listen();
    io.write(
      `The proxy listens on ${relay.baseUrl}, for ${settings.baseUrl}; its page is ${shown.url}. Stop with Ctrl-C.\n`,
    );
    try {
      programFailed = await untilItsEnd(settings, { io, signal, relay });
    } finally {
      await shown.stop();
      await relay.stop();
      await record.end();
    }
    io.write(`${seenText(judge, "passed")}\n`);
    const where = settings.baseUrl;
    return { report: trafficReport(settings, { command: "proxy", judge, where, startedAt }) };
  });
  return exitCode === 0 && programFailed ? 3 : exitCode;
}

async function listening(
  settings: ProxySettings,
  onExchange: (exchange: RecordedExchange) => void,
  onServerError: (error: Error) => void,
): Promise<Relay> {
  const { isTls, caOutFile, host } = settings;
  const certificates = isTls ? await certificatesFor(host, "127.0.0.1", "localhost") : undefined;
  if (certificates !== undefined && caOutFile !== undefined) {
    await writeFile(caOutFile, certificates.ca);
  }
  try {
    const tls = certificates?.server;
    return await startRelay({ ...settings, tls, bodyBytesMax, onExchange, onServerError });
  } catch (error) {
    throw listenError(error, settings);
  }
}

interface Running {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly relay: Relay;
}

/** Waits for the end; returns whether the program failed. */
async function untilItsEnd(
  { command: [file, ...words], durationMs, caOutFile }: ProxySettings,
  { io, signal, relay }: Running,
): Promise<boolean> {
  const over = new AbortController();
  const stopped = AbortSignal.any([signal, over.signal]);
  const aborted = new Promise<void>((resolve) => {
    if (stopped.aborted) resolve();
    stopped.addEventListener("abort", () => resolve(), { once: true });
  });
  const time =
    durationMs === undefined
      ? new Promise<void>(() => undefined)
      : pause(durationMs, undefined, { signal: stopped }).catch(() => undefined);
  if (file === undefined) {
    await Promise.race([aborted, time]);
    over.abort();
    return false;
  }
  const environment = {
    ...withoutOwnVariables(io.environment),
    ...proxyVariables(relay.baseUrl, caOutFile),
  };
  try {
    const { workingDirectory } = io;
    const program = await startProgram({
      command: [file, ...words],
      environment,
      workingDirectory,
      isShown: true,
    });
    const end = await Promise.race([program.ended, aborted, time]);
    if (end === undefined) {
      program.stop();
      await program.ended;
      return false;
    }
    return end.exitCode !== 0;
  } catch (error) {
    if (!(error instanceof ProgramStartError)) throw error;
    throw wrongUsageBy(
      error,
      "the program cannot be run:",
      "Give it as you would type it, after --.",
    );
  } finally {
    over.abort();
  }
}

function holdsSomething(file: string | undefined): file is string {
  return file !== undefined && existsSync(file) && statSync(file).size > 0;
}

/** What was recorded once may not come again, and an authority may be one that others trust. */
function writtenOver(file: string, option: string): CommandError {
  return new CommandError("WRONG_USAGE", `${file} is there already, and would be written over`, {
    hint: `Give ${option} another name, or remove the file.`,
  });
}

/** Writes exchanges to a file as they come. */
class Recording {
  readonly #digest = new KeyDigest();
  readonly #keepsBodies: boolean;
  readonly #file: WriteStream | undefined;
  #error: Error | undefined;

  constructor({ recordFile, recordsBodies }: ProxySettings) {
    this.#keepsBodies = recordsBodies;
    // What it holds is for its owner alone.
    this.#file =
      recordFile === undefined ? undefined : createWriteStream(recordFile, { mode: 0o600 });
    this.#file?.on("error", (error) => (this.#error = error));
  }

  write(exchange: RecordedExchange): void {
    if (this.#file === undefined || this.#error !== undefined) return;
    this.#file.write(lineOf(withoutContent(exchange, this.#digest, this.#keepsBodies)));
  }

  /** @throws CommandError where not all of it could be written */
  async end(): Promise<void> {
    if (this.#file === undefined) return;
    if (this.#error === undefined) {
      this.#file.end();
      await finished(this.#file).catch((error: Error) => (this.#error = error));
    }
    if (this.#error === undefined) return;
    throw wrongUsageBy(
      this.#error,
      "the recording could not be written:",
      "Give --record a file that can be written.",
    );
  }
}

/** Tells of what a person should know while requests pass. */
class Watch {
  readonly #io: Io;
  readonly #isVerbose: boolean;
  readonly #told = new Set<string>();
  origin = "";

  constructor({ verbose }: ProxySettings, io: Io) {
    this.#isVerbose = verbose;
    this.#io = io;
  }

  look(exchange: RecordedExchange): void {
    const location = exchange.answer?.headers["location"] ?? "";
    const elsewhere = URL.canParse(location) ? new URL(location).origin : this.origin;
    if (elsewhere !== this.origin) {
      this.#once(
        `the server redirects past the proxy, to ${elsewhere}: what is asked there is not seen`,
      );
    }
    if (this.#isVerbose) this.#io.write(`${exchangeLine(exchange)}\n`);
  }

  serverError(error: Error): void {
    this.#once(`the server could not be reached, or broke off: ${messageOf(error)}`);
  }

  #once(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#io.writeError(`warning: ${oneLine(text)}\n`);
  }
}

function exchangeLine({ method, target, answer, brokenOff, arrivedMs }: RecordedExchange): string {
  const [path = ""] = target.split("?");
  const status = answer?.status ?? `broken off by the ${brokenOff?.by ?? "client"}`;
  const tookMs = (answer?.endedMs ?? brokenOff?.atMs ?? arrivedMs) - arrivedMs;
  return `${oneLine(`${method} ${path}`)}  ${status}  ${Math.round(tookMs)} ms`;
}
