import { onTestFinished } from "vitest";
import { startServing } from "../../cli/commands/serve.ts";
import { serveSettings } from "../../cli/settings/serve.ts";
import type { Flags } from "../../cli/settings/sources.ts";
import { startCommand } from "./command.ts";
import type { RunningCommand } from "./command.ts";
import { fakeIo } from "./fake-io.ts";
import { record, texts } from "./record.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

export interface ServedAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Makes a call with or without a JSON body; rejects where no answer comes. */
export type CallServed = (method: string, path: string, body?: object) => Promise<ServedAnswer>;

/** A server started as `serve` starts it. */
export interface CallableServer {
  /** The members of its first line, as texts. */
  readonly told: Readonly<Record<string, string>>;
  /** Calls the job API of the default endpoint, with its key. */
  readonly call: CallServed;
  /** Calls a path of the server itself, without a key: the control protocol, or the console page's data. */
  readonly own: CallServed;
  /** Makes a fresh endpoint on a virtual clock. */
  readonly virtual: (workers: number) => Promise<VirtualEndpoint>;
}

/** A server in its own process. */
export interface ServedProcess extends CallableServer {
  readonly running: RunningCommand;
  /** Environment variables for real workers; empty without them. */
  readonly workerEnvironment: Readonly<Record<string, string>>;
}

export interface VirtualEndpoint {
  readonly id: string;
  readonly call: CallServed;
  readonly advance: (ms: number) => Promise<unknown>;
  /** Submits a job and returns its id. */
  readonly submit: (input: object, more?: object) => Promise<string>;
  readonly status: (jobId: string) => Promise<ServedAnswer["body"]>;
}

/** Starts in this process what `serve` would start with these options; it stops when the test ends. */
export async function serveHere(flags: Flags): Promise<CallableServer> {
  const io = fakeIo({ workingDirectory: temporaryDirectory() });
  const reference = await startServing(serveSettings(flags, undefined, io), io);
  onTestFinished(() => reference.stop());
  const { baseUrl, endpointId, apiKey } = reference;
  return servedAt({ baseUrl, endpointId, apiKey });
}

/** Starts `serve` in its own process in `directory`; it is killed when the test ends. */
export async function startServe(
  words: readonly string[],
  directory: string,
): Promise<ServedProcess> {
  return servedBy(startCommand(["serve", "--json", ...words], directory));
}

/** Waits for the first line of a process started with --json; returns its server. */
export async function servedBy(running: RunningCommand): Promise<ServedProcess> {
  const [line] = await running.printed(/^.*\n/);
  const environment = record(record(JSON.parse(line))["workerEnvironment"]);
  const workerEnvironment = texts(JSON.stringify(environment));
  return { running, workerEnvironment, ...servedAt(texts(line)) };
}

function servedAt(told: Readonly<Record<string, string>>): CallableServer {
  const { baseUrl = "", endpointId = "", apiKey } = told;
  const own = callsTo(baseUrl);
  return {
    told,
    own,
    call: callsTo(`${baseUrl}/v2/${endpointId}`, apiKey),
    virtual: async (workers) => {
      const { body } = await own("POST", "/__control/endpoints", { clock: "virtual", workers });
      const id = String(body["endpointId"]);
      const call = callsTo(`${baseUrl}/v2/${id}`, String(body["apiKey"]));
      return {
        id,
        call,
        advance: (ms) => own("POST", `/__control/endpoints/${id}/clock/advance`, { ms }),
        submit: async (input, more = {}) =>
          String((await call("POST", "/run", { input, ...more })).body["id"]),
        status: async (jobId) => (await call("GET", `/status/${jobId}`)).body,
      };
    },
  };
}

function callsTo(url: string, key?: string): CallServed {
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key !== undefined && { authorization: key }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: record(await response.json()) };
  };
}
