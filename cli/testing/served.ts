import { startCommand } from "./command.ts";
import type { RunningCommand } from "./command.ts";
import { record, texts } from "./record.ts";

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A call with a JSON body, or none; it rejects where no answer comes. */
export type Call = (method: string, path: string, body?: object) => Promise<Answer>;

/** A server that `serve` has started. */
export interface Served {
  readonly running: RunningCommand;
  /** What its first line told, as texts. */
  readonly told: Readonly<Record<string, string>>;
  /** What real workers are started with; empty without them. */
  readonly workerEnvironment: Readonly<Record<string, string>>;
  /** The job API of the default endpoint, with its key. */
  readonly call: Call;
  /** A path of the server itself, without a key: the control protocol, and what the page asks for. */
  readonly own: Call;
  /** The job API of a fresh endpoint on a virtual clock, and the way to move that clock. */
  readonly virtual: (workers: number) => Promise<VirtualEndpoint>;
}

export interface VirtualEndpoint {
  readonly id: string;
  readonly call: Call;
  readonly advance: (ms: number) => Promise<unknown>;
  /** Submits a job and answers its id. */
  readonly submit: (input: object, more?: object) => Promise<string>;
  readonly status: (jobId: string) => Promise<Answer["body"]>;
}

/** Starts `serve` in a directory; it ends with the test. */
export async function startServe(words: readonly string[], directory: string): Promise<Served> {
  const running = startCommand(["serve", "--json", ...words], directory);
  const [line] = await running.printed(/^.*\n/);
  const told = texts(line);
  const environment = record(record(JSON.parse(line))["workerEnvironment"]);
  const { baseUrl = "", endpointId = "", apiKey } = told;
  const own = callsTo(baseUrl);
  return {
    running,
    told,
    workerEnvironment: texts(JSON.stringify(environment)),
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

function callsTo(url: string, key?: string): Call {
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
