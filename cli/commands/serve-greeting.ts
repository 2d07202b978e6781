import type { NewEndpoint } from "../../reference/service.ts";
import type { Reference } from "../../reference/start-reference.ts";
import type { ServeSettings } from "../settings/serve.ts";

type ServedAddress = Omit<Reference, "stop">;

interface GreetingOptions extends Pick<
  ServeSettings,
  | "endpoints"
  | "handlerFile"
  | "externalWorkers"
  | "workerProgram"
  | "dialect"
  | "faults"
  | "failRate"
  | "latency"
  | "stateFile"
> {
  /** A command that starts queueproof from any directory. */
  readonly command: string;
}

/** Prints lines to paste into another terminal. Every line runs unchanged in any POSIX shell. */
export function serveGreeting(served: ServedAddress, options: GreetingOptions): string {
  const parts = [
    `The reference listens on ${served.baseUrl}: ${stateOf(options)}.${pageOf(served)}`,
    `Paste this into another terminal first:\n\n${variableLines(served).join("\n")}`,
    `Then submit a job, read its status, wait for one, and look at the endpoint:\n\n${jobLines(options).join("\n")}`,
    ...clientParts(served, options),
    ...(options.workerProgram === undefined
      ? workerParts(served.workerEnvironment)
      : [`Its workers are \`${options.workerProgram.command}\`; what they print follows here.`]),
    ...(served.controlUrl === undefined ? [] : [controlPart(options)]),
    `Check it with the suite:\n\n${contractLine(served, options)}`,
    "Stop with Ctrl-C.",
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Unmodified clients of the live service work only with its own dialect. */
function clientParts(
  { baseUrl, endpointId, apiKey }: ServedAddress,
  { dialect }: GreetingOptions,
): readonly string[] {
  if (dialect !== "runpod") return [];
  const lines = [
    `  export BASE_URL='${baseUrl}/v2' ENDPOINT='${endpointId}' KEY='${apiKey}'`,
    `  export RUNPOD_ENDPOINT_BASE_URL="$BASE_URL"    # where the Python package looks for it`,
  ];
  return [
    `For clients of the live service, as docs/local-development.md shows them:\n\n${lines.join("\n")}`,
  ];
}

/** Single quotes keep the dollar signs, which the worker's library replaces. */
function workerParts(environment: ServedAddress["workerEnvironment"]): readonly string[] {
  if (environment === undefined) return [];
  const lines = Object.entries(environment).map(([name, value]) => `  export ${name}='${value}'`);
  return [
    `No worker is here yet. Start one or more, each with a RUNPOD_POD_ID of its own, in a shell with:\n\n${lines.join("\n")}\n\n  RUNPOD_POD_ID=worker-1 python handler.py`,
  ];
}

/** The page is offered where the control protocol is. */
function pageOf({ baseUrl, controlUrl }: ServedAddress): string {
  return controlUrl === undefined ? "" : `\nIts page, with its jobs and requests, is ${baseUrl}/`;
}

function stateOf(options: GreetingOptions): string {
  const { endpoints, dialect, faults, failRate, latency, stateFile, handlerFile } = options;
  const [only] = endpoints;
  return [
    ...(endpoints.length > 1
      ? [`${endpoints.length} endpoints, the first is ${only?.id}`]
      : [
          clockOf(only),
          options.externalWorkers === undefined ? crewOf(only?.workers) : "external workers",
        ]),
    ...(dialect === "spec" ? [] : [`dialect ${dialect}`]),
    ...(handlerFile === undefined ? [] : [`handler ${handlerFile}`]),
    ...(stateFile === undefined ? [] : [`state in ${stateFile}`]),
    ...(latency === undefined ? [] : ["answers held back"]),
    ...(failRate === 0 ? [] : [`${100 * failRate}% of the requests answered 500`]),
    ...(faults.length === 0 ? [] : [`broken on purpose by ${faults.join(", ")}`]),
  ].join(", ");
}

function clockOf(endpoint: NewEndpoint | undefined): string {
  const { clock = "real", speed = 1 } = endpoint ?? {};
  return speed === 1 ? `${clock} clock` : `clock ${speed} times as fast`;
}

function crewOf(workers: NewEndpoint["workers"] = 1): string {
  if (typeof workers === "object") return `${workers.min} to ${workers.max} workers`;
  return `${workers} worker${workers === 1 ? "" : "s"}`;
}

function variableLines({ baseUrl, controlUrl, ...served }: ServedAddress): readonly string[] {
  const control = controlUrl === undefined ? [] : [`  CONTROL='${controlUrl}'`];
  return [`  BASE='${baseUrl}/v2/${served.endpointId}'`, `  KEY='${served.apiKey}'`, ...control];
}

/** A handler of one's own is asked for nothing known. */
function jobLines({ handlerFile }: GreetingOptions): readonly string[] {
  const isOwn = handlerFile !== undefined;
  return [
    `  curl -sX POST "$BASE/run" -H "authorization: $KEY" -H 'content-type: application/json' \\`,
    `    -d '{"input": ${isOwn ? "{}" : '{"op": "echo", "value": "hello"}'}}'`,
    `  curl -s "$BASE/status/JOB_ID" -H "authorization: $KEY"    # the id that run answered`,
    `  curl -sX POST "$BASE/runsync?wait=10000" -H "authorization: $KEY" -H 'content-type: application/json' \\`,
    `    -d '{"input": ${isOwn ? "{}" : '{"op": "sleep", "ms": 500, "value": "done"}'}}'`,
    `  curl -s "$BASE/health" -H "authorization: $KEY"`,
  ];
}

/** Real workers run in real time, so there the example holds answers back instead of moving a clock. */
function controlPart({ externalWorkers }: GreetingOptions): string {
  return externalWorkers === undefined
    ? `Make an endpoint of your own with a clock you can move (its answer has the id and the key):

  curl -sX POST "$CONTROL/endpoints" -H 'content-type: application/json' \\
    -d '{"clock": "virtual", "workers": 1}'
  curl -sX POST "$CONTROL/endpoints/ENDPOINT_ID/clock/advance" -H 'content-type: application/json' \\
    -d '{"ms": 60000}'`
    : `Make an endpoint of your own and hold its answers to run back (its answer has the id and the key):

  curl -sX POST "$CONTROL/endpoints" -H 'content-type: application/json' \\
    -d '{"clock": "real"}'
  curl -sX PUT "$CONTROL/endpoints/ENDPOINT_ID/hold" -H 'content-type: application/json' \\
    -d '{"operation": "run", "held": true}'`;
}

function contractLine(served: ServedAddress, options: GreetingOptions): string {
  const { command, dialect, handlerFile } = options;
  const { baseUrl, controlUrl, endpointId, apiKey } = served;
  const words = dialect === "spec" ? "" : ` --dialect ${dialect}`;
  const spoken = handlerFile === undefined ? words : `${words} --jobs jobs.json`;
  if (controlUrl !== undefined) return `  ${command} contract --control '${controlUrl}'${spoken}`;
  return (
    `  ${command} contract --base-url '${baseUrl}' --endpoint '${endpointId}' \\\n` +
    `    --api-key '${apiKey}'${handlerFile === undefined ? " --capability handler --capability crash" : ""}${spoken}`
  );
}
