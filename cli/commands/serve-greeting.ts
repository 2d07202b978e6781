/** What the greeting tells of a running reference. */
export interface Served {
  readonly baseUrl: string;
  readonly controlUrl?: string | undefined;
  readonly endpointId: string;
  readonly apiKey: string;
  readonly foreignKey: string;
}

export interface GreetingOptions {
  /** What starts queueproof from any directory. */
  readonly command: string;
  readonly workers: number;
  readonly dialect: string;
  readonly fault: string | undefined;
}

/** What to paste into another terminal: every line runs as it stands, in any POSIX shell. */
export function serveGreeting(served: Served, options: GreetingOptions): string {
  const parts = [
    `The reference listens on ${served.baseUrl}${stateOf(options)}.`,
    `Paste this into another terminal first:\n\n${variableLines(served).join("\n")}`,
    `Then submit a job, read its status, wait for one, and look at the endpoint:\n\n${jobLines.join("\n")}`,
    ...(served.controlUrl === undefined ? [] : [controlPart]),
    `Check it with the suite:\n\n${contractLine(served, options)}`,
    "Stop with Ctrl-C.",
  ];
  return `${parts.join("\n\n")}\n`;
}

function stateOf({ workers, dialect, fault }: GreetingOptions): string {
  const spoken = dialect === "spec" ? "" : `, dialect ${dialect}`;
  const state = `: real clock, ${workers} worker${workers === 1 ? "" : "s"}${spoken}`;
  return fault === undefined ? state : `${state}, broken on purpose by ${fault}`;
}

function variableLines({ baseUrl, controlUrl, ...served }: Served): readonly string[] {
  const control = controlUrl === undefined ? [] : [`  CONTROL='${controlUrl}'`];
  return [`  BASE='${baseUrl}/v2/${served.endpointId}'`, `  KEY='${served.apiKey}'`, ...control];
}

const jobLines: readonly string[] = [
  `  curl -sX POST "$BASE/run" -H "authorization: $KEY" -H 'content-type: application/json' \\`,
  `    -d '{"input": {"op": "echo", "value": "hello"}}'`,
  `  curl -s "$BASE/status/JOB_ID" -H "authorization: $KEY"    # the id that run answered`,
  `  curl -sX POST "$BASE/runsync?wait=10000" -H "authorization: $KEY" -H 'content-type: application/json' \\`,
  `    -d '{"input": {"op": "sleep", "ms": 500, "value": "done"}}'`,
  `  curl -s "$BASE/health" -H "authorization: $KEY"`,
];

const controlPart = `Make an endpoint of your own with a clock you can move (its answer has the id and the key):

  curl -sX POST "$CONTROL/endpoints" -H 'content-type: application/json' \\
    -d '{"clock": "virtual", "workers": 1}'
  curl -sX POST "$CONTROL/endpoints/ENDPOINT_ID/clock/advance" -H 'content-type: application/json' \\
    -d '{"ms": 60000}'`;

function contractLine(served: Served, { command, dialect }: GreetingOptions): string {
  const { baseUrl, controlUrl, endpointId, apiKey } = served;
  const spoken = dialect === "spec" ? "" : ` --dialect ${dialect}`;
  if (controlUrl !== undefined) return `  ${command} contract --control '${controlUrl}'${spoken}`;
  return (
    `  ${command} contract --base-url '${baseUrl}' --endpoint '${endpointId}' \\\n` +
    `    --api-key '${apiKey}' --capability handler --capability crash${spoken}`
  );
}

/** A word as a POSIX shell takes it, whatever stands in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
