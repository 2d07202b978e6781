import { pathOption, quote } from "./curl.ts";
import type { RecordedStep } from "./recorder.ts";
import { isSuccess } from "../read.ts";
import { readRecord } from "../record.ts";

/** Bodies are cut in what a check keeps; a script that would send half a body is of no use. */
const bodyBytesMax = 4096;

/** The target of a script: with a control address it makes the endpoints it needs, else it uses the one given. */
interface ScriptTarget {
  readonly baseUrl: string;
  readonly controlUrl: string | undefined;
}

/**
 * A POSIX shell script that repeats what a check did: every call of curl in its order, with the ids that the target
 * gives out now carried over into the calls that follow.
 */
export function scriptOf(
  name: string,
  deeds: readonly RecordedStep[],
  target: ScriptTarget,
): string {
  const names = new Names(target.baseUrl);
  const lines = deeds.flatMap((deed) => linesOf(deed, names));
  return [...preambleOf(name, target), ...lines, ""].join("\n");
}

function preambleOf(name: string, { baseUrl, controlUrl }: ScriptTarget): string[] {
  const given =
    controlUrl === undefined
      ? [`: "\${QUEUEPROOF_ENDPOINT:?the endpoint id}" "\${QUEUEPROOF_API_KEY:?the api key}"`]
      : [`control=\${QUEUEPROOF_CONTROL:-${controlUrl}}`];
  return [
    "#!/bin/sh",
    `# Repeats ${name}.`,
    "set -u",
    `base=\${QUEUEPROOF_BASE_URL:-${baseUrl}}`,
    ...given,
    `encode() { printf %s "$1" | od -An -v -tx1 | tr -d '\\n' | sed 's/ /%/g'; }`,
    `member() { sed -n "s/.*\\"$1\\" *: *\\"\\([^\\"]*\\)\\".*/\\1/p" | head -n 1; }`,
    "",
  ];
}

/** The shell variables that stand for what the target gave out. */
class Names {
  readonly baseUrl: string;
  readonly #variables = new Map<string, string>();
  #endpoints = 0;
  #jobs = 0;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  endpoint(endpointId: string): number {
    this.#endpoints += 1;
    this.#variables.set(endpointId, `endpoint_${String(this.#endpoints)}`);
    return this.#endpoints;
  }

  job(id: string): string {
    this.#jobs += 1;
    const variable = `job_${String(this.#jobs)}`;
    this.#variables.set(id, variable);
    return variable;
  }

  /** One segment of a path, ready for a double-quoted shell word: the variable of an id, or what was sent. */
  insert(segment: string): string {
    const id = decoded(segment);
    const variable = this.#variables.get(id);
    if (variable === undefined) return segment.replaceAll(/["$`\\]/g, String.raw`\$&`);
    return isPlain(id) ? `$${variable}` : `$(encode "$${variable}")`;
  }

  /** The number of the endpoint that an id stands for. */
  endpointNumber(id: string): string | undefined {
    return this.#variables.get(id)?.split("_").at(-1);
  }
}

function linesOf(deed: RecordedStep, names: Names): string[] {
  switch (deed.kind) {
    case "endpoint": {
      const number = String(names.endpoint(deed.endpointId));
      return ["endpointId", "apiKey", "foreignKey"].map(
        (member) =>
          `${variableOf[member] ?? member}_${number}=$(printf %s "$made" | member ${member})`,
      );
    }
    case "control": {
      const { method, path, body } = deed.call;
      const data = body === undefined ? "" : ` --data-raw ${quote(JSON.stringify(body))}`;
      const call = `curl -sS -X ${method} "$control${pathIn(path, names)}" -H 'content-type: application/json'${data}`;
      return path === "/endpoints" ? [`made=$(${call})`] : [`${call}; echo`];
    }
    case "exchange":
      return exchangeLines(deed.exchange, names);
  }
}

const variableOf: Readonly<Record<string, string>> = {
  endpointId: "endpoint",
  apiKey: "key",
  foreignKey: "foreign",
};

function exchangeLines({ request, operation, ...rest }: ExchangeOf, names: Names): string[] {
  if (request.bodyBytes > bodyBytesMax) {
    return [`# ${operation}: a body of ${String(request.bodyBytes)} bytes is left out here`];
  }
  const [pathname = "", query] = request.url.slice(names.baseUrl.length).split("?");
  const search = query === undefined ? "" : `?${query}`;
  const { endpointId } = request;
  const headers = Object.entries(request.headers)
    .filter(([header]) => header !== "authorization")
    .map(([header, value]) => ` -H ${quote(`${header}: ${value}`)}`)
    .join("");
  const key = keyOf(request, names.endpointNumber(endpointId));
  const body = request.body === undefined ? "" : ` --data-raw ${quote(request.body)}`;
  const isMade = names.endpointNumber(endpointId) !== undefined;
  const path = pathIn(pathname, names, isMade ? undefined : endpointId);
  const url = `"$base${path}${search}"`;
  const call = `curl -sS${pathOption(request.url)} -X ${request.method} ${url}${key}${headers}${body}`;
  const given = readGivenId({ request, operation, ...rest });
  if (given === undefined || !isVerbatim(given)) return [`${call}; echo`];
  const variable = names.job(given);
  return [
    `answer=$(${call}); printf '%s\\n' "$answer"`,
    `${variable}=$(printf %s "$answer" | member id)`,
  ];
}

type ExchangeOf = Extract<RecordedStep, { kind: "exchange" }>["exchange"];

/** The id of a job that this exchange made known. */
function readGivenId(exchange: ExchangeOf): string | undefined {
  if (exchange.operation !== "run" && exchange.operation !== "runsync") return undefined;
  if (exchange.answer === undefined || !isSuccess(exchange.answer)) return undefined;
  const read = readRecord(exchange);
  return read.ok ? read.body.id : undefined;
}

function keyOf({ headers, keyName }: ExchangeOf["request"], endpoint: string | undefined): string {
  const { authorization } = headers;
  if (authorization === undefined) return "";
  const scheme = authorization.startsWith("Bearer ") ? "Bearer " : "";
  const suffix = endpoint === undefined ? undefined : `_${endpoint}`;
  const words: Readonly<Record<string, string>> = {
    "api key": suffix === undefined ? "$QUEUEPROOF_API_KEY" : `$key${suffix}`,
    "foreign key": suffix === undefined ? "$QUEUEPROOF_FOREIGN_KEY" : `$foreign${suffix}`,
  };
  return ` -H "authorization: ${scheme}${words[keyName ?? ""] ?? "a-wrong-key"}"`;
}

/** A path with every id that the target gave out replaced by its variable, and the given endpoint's by that of the shell. */
function pathIn(path: string, names: Names, givenEndpoint?: string): string {
  const segments = path.split("/");
  const givenAt = segments.findIndex((segment) => decoded(segment) === givenEndpoint);
  return segments
    .map((segment, at) => (at === givenAt ? "$QUEUEPROOF_ENDPOINT" : names.insert(segment)))
    .join("/");
}

/** Whether an id stands in a path as it is. */
function isPlain(id: string): boolean {
  return encodeURIComponent(id) === id && !/^\.+$/u.test(id);
}

/** Whether an id stands in JSON as it is: sed reads no escapes, so another one cannot be carried over. */
function isVerbatim(id: string): boolean {
  return JSON.stringify(id) === `"${id}"`;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A secret was taken out of the middle of an escape.
    return segment;
  }
}
