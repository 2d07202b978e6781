import * as fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readBaseline } from "../../../cli/baseline.ts";
import { compareReports } from "../../../cli/compare/compare-reports.ts";
import { describeError } from "../../../cli/errors.ts";
import type { Io } from "../../../cli/io.ts";
import { readReport } from "../../../cli/report-file.ts";
import { contractSettings } from "../../../cli/settings/contract.ts";
import { dialectOf } from "../../../cli/settings/dialect.ts";
import { readEndpoints } from "../../../cli/settings/endpoints-file.ts";
import { fakeIo } from "../../../test/cli/fake-io.ts";
import { reportOf } from "../../../test/cli/report.ts";
import { StateFile } from "../../../reference/store/state-file.ts";
import { startReference } from "../../../reference/start-reference.ts";
import { reportFormats } from "../../../reports/report-formats.ts";
import { writeReports } from "../../../reports/write.ts";
import { verifyReport } from "../../../reports/verify.ts";
import { failureOf, growthBytesMax } from "../fuzz.ts";
import type { FuzzEnd, FuzzOptions } from "../fuzz.ts";
import { mutatedFile } from "./mutated-files.ts";

setFlagsFromString("--expose-gc");

/** The bytes this process still needs: when garbage is collected is the engine's choice, and no sign of a leak. */
function liveBytes(): number {
  runInNewContext("gc()");
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** The memory that this process still needed when it was warm, and at the end. */
class LiveMemory {
  readonly #startedMs = performance.now();
  readonly #warmAfterMs: number;
  #warmBytes: number | undefined;

  constructor(warmAfterMs: number) {
    this.#warmAfterMs = warmAfterMs;
  }

  /** Looks at the memory once, when it is warm. */
  look(): void {
    if (this.#warmBytes !== undefined) return;
    if (performance.now() - this.#startedMs >= this.#warmAfterMs) this.#warmBytes = liveBytes();
  }

  /** The memory in megabytes when it was warm and now, and whether it grew beyond the bound. */
  end(): { readonly megabytes: readonly number[]; readonly grew: boolean } {
    const endBytes = liveBytes();
    const warmBytes = this.#warmBytes ?? endBytes;
    return {
      megabytes: [warmBytes, endBytes].map((bytes) => Math.round(bytes / 1e6)),
      grew: endBytes - warmBytes > growthBytesMax,
    };
  }
}

interface Reader {
  readonly name: string;
  readonly valid: string | ((directory: string) => Promise<string>);
  /** Set for a binary file, whose content has one character for each byte. */
  readonly encoding?: "latin1";
  /** Reads a file as a command would; it sends nothing. */
  readonly read: (path: string, io: Io, text: string) => Promise<unknown>;
}

/** A target to which nothing is sent. */
const atNobody = { baseUrl: "http://127.0.0.1:9", endpoint: "e", apiKey: "the-key-of-mine" };

const report = reportOf({ "AUTH-01": "fail", "RUNA-01": "pass", "STAT-01": "inconclusive" });

const readers: readonly Reader[] = [
  {
    name: "report",
    valid: JSON.stringify(report),
    read: async (path, io, text) => {
      verifyReport(text, "0.0.0");
      const read = await readReport(path, io);
      compareReports(report, read);
      await writeReports(read, { directory: join(path, "..", "out"), formats: reportFormats });
    },
  },
  {
    name: "config",
    valid: JSON.stringify({
      seed: 3,
      only: ["AUTH-*"],
      timeout: "3s",
      timeBudget: "full",
      format: ["json"],
      dialect: "runpod",
      capability: ["handler"],
      endpoint: "e",
      apiKey: "the-key-of-mine",
    }),
    read: async (path, io) => contractSettings({ baseUrl: "http://127.0.0.1:9" }, path, io),
  },
  {
    name: "dialect",
    valid: JSON.stringify({
      name: "ours",
      description: "Our gateway, version 3.",
      readings: { "RUNA-03": "413", "STAT-09": "404" },
      deviations: {
        basePath: "/v1/{endpointId}",
        states: { RUNNING: "IN_PROGRESS" },
        stream: { member: "stream", withoutMetrics: true },
        tolerates: [{ requirement: "POLI-04", what: "it becomes FAILED", got: "*FAILED*" }],
      },
    }),
    read: async (path, io) => dialectOf(path, io),
  },
  {
    name: "endpoints",
    valid: JSON.stringify({
      endpoints: [
        { id: "a", apiKey: "key-of-a", workers: 3, clock: "virtual", executionTimeout: "60s" },
        { id: "b", apiKey: "key-of-b" },
      ],
    }),
    read: async (path, io) => readEndpoints(path, 1, io),
  },
  {
    name: "baseline",
    valid: "AUTH-01 known since March\n# a comment\nRATE-02 the gateway counts otherwise\n",
    read: async (path) => readBaseline(path, false),
  },
  {
    name: "jobs",
    valid: JSON.stringify({
      quick: { input: { prompt: "hello" }, atMostMs: 5000 },
      slow: { input: { prompt: "a story" }, atLeastMs: 8000, atMostMs: 60_000 },
      failing: { input: { prompt: null } },
      known: [{ input: { prompt: "2+2", apiKey: "a-secret-of-mine" }, output: { answer: 4 } }],
      streaming: { input: { prompt: "count", stream: true }, chunksAtLeast: 3 },
    }),
    read: async (path, io) => contractSettings({ ...atNobody, jobs: path }, undefined, io),
  },
  {
    name: "certificate",
    valid: rootCertificates[0] ?? "",
    read: async (path, io) =>
      contractSettings({ ...atNobody, baseUrl: "https://127.0.0.1:9", ca: path }, undefined, io),
  },
  {
    name: "state",
    valid: stateOfADay,
    encoding: "latin1",
    read: async (path) => {
      const file = await StateFile.open(path);
      try {
        file.load();
      } finally {
        file.close();
      }
    },
  },
];

/** Makes a state file with an endpoint and some of its jobs. */
async function stateOfADay(directory: string): Promise<string> {
  const stateFile = join(directory, "valid.db");
  const reference = await startReference({ stateFile });
  const { baseUrl, endpointId, apiKey } = reference;
  for (const value of ["one", "two", "three"]) {
    await fetch(`${baseUrl}/v2/${endpointId}/run`, {
      method: "POST",
      headers: { authorization: apiKey, "content-type": "application/json" },
      body: JSON.stringify({ input: { op: "echo", value } }),
    });
  }
  await reference.stop();
  return readFileSync(stateFile, "latin1");
}

/** The longest a reader may take for one file of some kilobytes. */
const hangMs = 20_000;

/** The readers of these names, or all of them where none is named. */
function readersNamed(names: readonly string[]): readonly Reader[] {
  const known = readers.map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`there is no reader ${unknown.join(", ")}; give some of ${known.join(", ")}`);
  }
  return names.length === 0 ? readers : readers.filter(({ name }) => names.includes(name));
}

/**
 * Gives the chosen readers, each for the same share of the time, files that are nearly of their kind. Only an error
 * that says what is wrong with the file is right. Any other error, a read that takes more than 20 s, and memory in
 * use that grows by more than 256 MB after a third of the reader's time are problems.
 */
export async function fuzzFiles({ seconds, seed, names = [] }: FuzzOptions): Promise<FuzzEnd> {
  const directory = mkdtempSync(join(tmpdir(), "queueproof-fuzz-"));
  const problems: string[] = [];
  const figures: Record<string, unknown> = {};
  const chosen = readersNamed(names);
  const eachMs = (seconds * 1000) / chosen.length;
  try {
    for (const reader of chosen) {
      const counts = { read: 0, refused: 0 };
      const memory = new LiveMemory(eachMs / 3);
      const { name, valid, encoding } = reader;
      const text = typeof valid === "string" ? valid : await valid(directory);
      const property = fc.asyncProperty(mutatedFile(text), async (mutated) => {
        const path = join(directory, `${name}.file`);
        rmSync(path, { force: true });
        writeFileSync(path, mutated, encoding);
        counts[await readOnce(reader, path, mutated)] += 1;
        memory.look();
      });
      const failure = await failureOf(property, seed, eachMs);
      const { megabytes, grew } = memory.end();
      figures[name] = { ...counts, memoryMegabytes: megabytes };
      if (grew) problems.push(`${name}: memory grew: ${megabytes.join(" to ")} MB`);
      problems.push(...failure.map((each) => `${name}: ${each}`));
    }
    return { problems, figures };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function readOnce(reader: Reader, path: string, text: string): Promise<"read" | "refused"> {
  const startedMs = performance.now();
  const outcome = await reader
    .read(path, fakeIo({ workingDirectory: join(path, "..") }), text)
    .then(() => "read" as const, refusal);
  const tookMs = performance.now() - startedMs;
  if (tookMs > hangMs) throw new Error(`${reader.name} took ${Math.round(tookMs)} ms`);
  return outcome;
}

/** @throws Error where the error reports a bug of the program instead of something wrong with the file */
function refusal(error: unknown): "refused" {
  const { lines } = describeError(error);
  if (lines[0]?.includes("itself broke") === true)
    throw new Error(lines.join("\n"), { cause: error });
  return "refused";
}
