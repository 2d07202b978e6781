import { resultBytesMax } from "../../openapi/sizes.ts";
import { jsonFlawOf, parseJson } from "../../client/parse-json.ts";
import { show } from "../../harness/show.ts";
import { memberOf } from "../recording/recorded-exchange.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import type { WorkerProcess } from "./worker-processes.ts";
import type { JobRun } from "./worker-test.ts";

// Sentences that tell what was wrong inside a worker, read from what it printed and what it sent.

/** What a Python type's values can be turned into. */
const remedies: Readonly<Record<string, string>> = {
  set: "return a list: list(…)",
  frozenset: "return a list: list(…)",
  datetime: "return a text: ….isoformat()",
  date: "return a text: ….isoformat()",
  bytes: "return a text: base64.b64encode(…).decode()",
  bytearray: "return a text: base64.b64encode(…).decode()",
  ndarray: "return a list: ….tolist()",
  Tensor: "return a list: ….tolist()",
  Decimal: "return a number or a text: float(…) or str(…)",
  float32: "return a number: float(…)",
  int64: "return a number: int(…)",
};

/** Why nothing of a result reached the service, as the worker's library told it. */
export function whyUntold(printed: readonly string[]): string {
  const line = printed.find((each) => /is not JSON serializable/.test(each));
  const type = /(?:object of type )?'?(\w+)'? is not JSON serializable/i.exec(line ?? "")?.[1];
  if (type !== undefined) {
    const remedy = remedies[type];
    // Newer Pythons name the member as well.
    const member = printed.map((each) => /when serializing dict item '([^']+)'/.exec(each)?.[1]);
    const place = member.find(Boolean);
    return `${place === undefined ? "it" : `its member ${place}`} holds a value of the type ${type}, which JSON has not${remedy === undefined ? "" : ` (${remedy})`}`;
  }
  const circular = printed.find((each) => /circular reference/i.test(each));
  if (circular !== undefined) return "it holds itself (a circular reference), which JSON has not";
  const told = lastErrorOf(printed);
  return told === undefined ? "the worker printed no reason" : `the worker printed ${show(told)}`;
}

/** Why the service refused what a worker told. */
export function whyRefused({ body, answer }: RecordedExchange): string {
  const megabytes = (body.bytes.length / 1_048_576).toFixed(1);
  if (body.bytes.length > resultBytesMax) {
    return `it has ${megabytes} MiB, and the service takes 20 (store it elsewhere, and return its address)`;
  }
  const flaw = jsonFlawOf(body.bytes.toString("utf8"));
  if (flaw !== undefined) return `it is no JSON: ${flaw} (NaN and Infinity are none: return None)`;
  return `the service answered ${answer?.status ?? "nothing"}`;
}

/** How a process ended, and what it printed last. */
export function deathText({ end }: WorkerProcess, printed: readonly string[]): string {
  const { exitCode = null, signal } = end ?? {};
  const how = exitCode === null ? `by the signal ${signal ?? ""}` : `with exit code ${exitCode}`;
  const memory = signal === "SIGKILL" ? " (a system that runs out of memory ends programs so)" : "";
  const told = lastErrorOf(printed);
  return `the worker ended ${how}${memory}${told === undefined ? "" : `, after ${show(told)}`}`;
}

/** Why a worker did not ask for a job, and what to do about it. `asked` is what it asked for instead. */
export function whyNotStarted(
  process: WorkerProcess | undefined,
  limitMs: number,
  asked: readonly RecordedExchange[],
): string {
  const lines = process?.program.printed().text.split("\n") ?? [];
  const printed = lines.filter((line) => line.trim() !== "");
  const how =
    process?.end === undefined
      ? `it ran for ${Math.round(limitMs / 1000)} s and asked for none (--start-within gives it more)`
      : deathText(process, printed);
  const remedy = remedyOfStart(process, printed, asked);
  if (remedy !== undefined) return `${how}${remedy}`;
  const last = printed.at(-1);
  const isTold = last === undefined || how.includes(show(last));
  return isTold ? how : `${how}; it printed last ${show(last)}`;
}

function remedyOfStart(
  process: WorkerProcess | undefined,
  printed: readonly string[],
  [other]: readonly RecordedExchange[],
): string | undefined {
  const missing = printed.map((line) => /No module named '([^']+)'/.exec(line)?.[1]).find(Boolean);
  if (missing !== undefined) {
    const name = missing.split(".")[0] ?? missing;
    return `: install the package with \`pip install ${name}\`, in the environment that this command starts`;
  }
  if (other !== undefined) {
    const request = show(`${other.method} ${other.target}`);
    return `; it asked for ${request}, which is no request of workers: its library speaks another version of the protocol (docs/real-workers.md)`;
  }
  return process?.end?.exitCode === 0
    ? ': its program has to call runpod.serverless.start({"handler": handler}), and to stay'
    : undefined;
}

/** The last thing that was printed of an error: the last line of a Python traceback, or what the library logged. */
export function lastErrorOf(printed: readonly string[]): string | undefined {
  const messages = printed.map(messageOf);
  return (
    messages.findLast((each) => /^[\w.]*(?:Error|Exception|Exit|Interrupt)\b/.test(each)) ??
    messages.findLast((each) => /error|exception|killed/i.test(each))
  );
}

/** A line of the library's log without its marks: it is JSON, or has bars between its parts. */
function messageOf(line: string): string {
  const message = line.startsWith("{") ? memberOf(parseJson(line), "message") : undefined;
  if (typeof message === "string") return message;
  return line.replace(/^(?:ERROR|WARN|INFO|DEBUG)\s*\|\s*(?:[\w-]+\s*\|\s*)?/, "").trim();
}

/** An error as a handler's exception tells it: the library sends JSON in a text. */
export function errorText({ record }: Pick<JobRun, "record">): string {
  const { error } = record;
  if (typeof error !== "string") return JSON.stringify(error ?? null);
  const type = /"error_type":\s*"<class '([^']+)'>"/.exec(error)?.[1];
  const message = /"error_message":\s*"((?:[^"\\]|\\.)*)"/.exec(error)?.[1];
  if (type === undefined || message === undefined) return error;
  return `${type.split(".").at(-1)}: ${message}`;
}
