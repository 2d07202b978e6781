import { quoted } from "../../client/shell-word.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Mismatch } from "../../reports/model.ts";
import { requestWords } from "./curl.ts";
import { givenJobId } from "./failing.ts";
import type { RecordedStep } from "./recorder.ts";
import { canBeCarried, ShellNames } from "./shell-names.ts";

/** What a script repeats. */
export interface ScriptedFailure {
  /** The check's name. */
  readonly name: string;
  readonly steps: readonly RecordedStep[];
  /** The exchange that the script leads to. */
  readonly failing: Exchange;
  readonly mismatch: Pick<Mismatch, "at" | "expected" | "got">;
  /** Whether time passed on a real clock between the steps. */
  readonly isRealTime: boolean;
}

/** The target of a script: with a control address it makes the endpoints it needs, else it uses the one given. */
export interface ScriptTarget {
  readonly baseUrl: string;
  readonly controlUrl: string | undefined;
  readonly endpointId: string | undefined;
}

/** More requests at once would not arrive in the same order again. */
const atOnceMax = 12;
/** A shorter time between two steps is that of the harness itself, and is not repeated. */
const gapMsMin = 50;

/**
 * A POSIX shell script that repeats a failure: it makes the endpoints, sends the requests by curl, with the ids that
 * the target gives out now, shows the answers, and takes back what it made. `undefined` where a shell cannot repeat the
 * steps.
 */
export function scriptOf(failure: ScriptedFailure, target: ScriptTarget): string | undefined {
  const steps = stepsUpTo(failure.steps, failure.failing);
  const writer = new ScriptWriter(target, steps, failure);
  const isWritten = steps.every((step) => writer.write(step));
  return isWritten ? writer.text() : undefined;
}

interface PendingAnswer {
  readonly file: string;
  readonly toMs: number;
  readonly givenId: string | undefined;
}

class ScriptWriter {
  readonly #target: ScriptTarget;
  readonly #steps: readonly TimedStep[];
  readonly #failure: ScriptedFailure;
  readonly #names: ShellNames;
  readonly #lines: string[] = [];
  readonly #cleanUp: string[] = [];
  #pending: PendingAnswer[] = [];
  #lastMs: number | undefined;

  constructor(target: ScriptTarget, steps: readonly TimedStep[], failure: ScriptedFailure) {
    this.#target = target;
    this.#steps = steps;
    this.#failure = failure;
    this.#names = new ShellNames(target.endpointId);
  }

  /** Adds a step; `false` where a shell cannot do it. */
  write(timed: TimedStep): boolean {
    this.#awaitUpTo(timed.fromMs);
    this.#sleepUpTo(timed.fromMs);
    this.#lastMs = Math.max(timed.toMs, this.#lastMs ?? 0);
    const { step } = timed;
    if (step.kind === "endpoint") return this.#writeEndpoint(step.endpointId);
    if (step.kind === "control") return this.#writeControl(step.call);
    return this.#writeExchange(step.exchange, timed);
  }

  text(): string {
    const { failing, isRealTime } = this.#failure;
    // On a virtual clock what was answered later may have waited for steps that this script does not have.
    this.#awaitUpTo(isRealTime ? Number.POSITIVE_INFINITY : failing.answeredAtMs);
    const { at, expected, got } = this.#failure.mismatch;
    return [
      ...this.#preamble(),
      "clean_up() {",
      ...this.#cleanUp.map((line) => `  ${line}`),
      '  rm -rf "$answers"',
      "}",
      "",
      ...this.#lines,
      "",
      `printf '%s\\n' ${quoted(`at:       ${at}`)} ${quoted(`expected: ${expected}`)} ${quoted(`got then: ${got}`)}`,
      "",
    ].join("\n");
  }

  #preamble(): readonly string[] {
    const { baseUrl, controlUrl, endpointId } = this.#target;
    const given =
      endpointId === undefined
        ? []
        : [
            `given=${quoted(endpointId)}`,
            "endpoint=${QUEUEPROOF_ENDPOINT:-$given}",
            `: "\${QUEUEPROOF_API_KEY:?the api key}"`,
          ];
    const control =
      controlUrl === undefined
        ? []
        : [`control=${quoted(controlUrl)}`, "control=${QUEUEPROOF_CONTROL:-$control}"];
    return [
      "#!/bin/sh",
      `# Repeats how ${this.#failure.name} failed.`,
      "set -u",
      `base=${quoted(baseUrl)}`,
      "base=${QUEUEPROOF_BASE_URL:-$base}",
      ...control,
      ...given,
      "answers=$(mktemp -d) || exit 1",
      "trap clean_up EXIT",
      "trap 'exit 130' INT TERM",
      "show() {",
      `  { if [ "$(wc -c < "$1")" -le 8000 ]; then cat "$1"; else head -c 8000 "$1"; printf ' ...\\n'; tail -n 1 "$1"; fi; } |`,
      // An answer must not act on the terminal.
      String.raw`    LC_ALL=C tr -d '\000-\010\013-\037\177'`,
      "}",
      "encode() {",
      "  case $1 in",
      String.raw`    *[!A-Za-z0-9._~-]*|.|..) printf %s "$1" | od -An -v -tx1 | tr -d '\n' | sed 's/ /%/g' ;;`,
      '    *) printf %s "$1" ;;',
      "  esac",
      "}",
      `member() { tr ',{' '\\n\\n' | sed -n "s/^ *\\"$1\\" *: *\\"\\([^\\"]*\\)\\".*/\\1/p" | head -n 1; }`,
      "send() {",
      "  printf '> %s\\n' \"$1\"",
      "  shift",
      "  curl -gsS --path-as-is --max-time 300 -w '\\nHTTP %{http_code}\\n' \"$@\"",
      "}",
    ];
  }

  #writeEndpoint(endpointId: string): boolean {
    const { endpoint, apiKey, foreignKey } = this.#names.endpoint(endpointId);
    const read = { endpointId: endpoint, apiKey, foreignKey };
    for (const [member, variable] of Object.entries(read)) {
      this.#lines.push(`${variable}=$(printf %s "$made" | member ${member})`);
    }
    const refusal = `control made no endpoint: $made`;
    this.#lines.push(`[ -n "$${endpoint}" ] || { printf '%s\\n' "${refusal}" >&2; exit 1; }`);
    const path = this.#names.path(`/endpoints/${encodeURIComponent(endpointId)}`);
    const remove = `curl -gsS -o "$answers/removed" -X DELETE "$control${path}"`;
    this.#cleanUp.push(`[ -z "\${${endpoint}:-}" ] || ${remove}`);
    return canBeCarried(endpointId);
  }

  #writeControl({ method, path, body }: ControlStep): boolean {
    const type = " -H 'content-type: application/json'";
    const data = body === undefined ? "" : `${type} --data-raw ${quoted(JSON.stringify(body))}`;
    const call = `curl -gsS -X ${method} "$control${this.#names.path(path)}"${data}`;
    this.#lines.push(path === "/endpoints" ? `made=$(${call})` : `${call}; echo`);
    return true;
  }

  #writeExchange(exchange: Exchange, timed: TimedStep): boolean {
    const call = this.#callOf(exchange);
    if (call === undefined) return false;
    const givenId = givenJobId(exchange);
    if (givenId !== undefined && !canBeCarried(givenId)) return false;
    const file = `"$answers/${this.#steps.indexOf(timed)}"`;
    if (isOvertaken(timed, this.#steps)) {
      this.#lines.push(`${call} > ${file} &`, "sleep 0.2");
      this.#pending.push({ file, toMs: timed.toMs, givenId });
      return this.#pending.length <= atOnceMax;
    }
    this.#lines.push(`${call} > ${file}; show ${file}`);
    this.#carryOver(givenId, file);
    return true;
  }

  #callOf({ operation, request, failure }: Exchange): string | undefined {
    const { baseUrl } = this.#target;
    const words = requestWords(request, this.#names.keysOf(request.endpointId));
    const wasBrokenOff = failure?.kind === "aborted" || failure?.kind === "timeout";
    const isPlaced = request.url.startsWith(baseUrl) && this.#names.hasEndpoint;
    if (words === undefined || wasBrokenOff || !isPlaced) return undefined;
    const [pathname = "", query] = request.url.slice(baseUrl.length).split("?");
    const url = `"$base${this.#names.path(pathname)}${query === undefined ? "" : `?${query}`}"`;
    const label = quoted(`${request.method} ${operation}`);
    return `send ${label} -X ${request.method} ${url}${words}`;
  }

  /** Adds lines that wait for the requests that had been answered by a moment. */
  #awaitUpTo(untilMs: number): void {
    const due = this.#pending.filter(({ toMs }) => toMs <= untilMs);
    if (due.length === 0) return;
    this.#pending = this.#pending.filter((each) => !due.includes(each));
    for (const { file, givenId } of due) {
      this.#lines.push(`until grep -q '^HTTP ' ${file}; do sleep 0.05; done; show ${file}`);
      this.#carryOver(givenId, file);
    }
  }

  #carryOver(givenId: string | undefined, file: string): void {
    if (givenId === undefined || this.#names.has(givenId)) return;
    const variable = this.#names.job(givenId);
    this.#lines.push(`${variable}=$(member id < ${file})`);
    if (this.#target.endpointId !== undefined) this.#cleanUp.push(this.#cancel(givenId, variable));
  }

  /** The line that cancels a job at the end: on an endpoint of others it would keep a worker busy. */
  #cancel(id: string, variable: string): string {
    const path = this.#names.path(`/cancel/${encodeURIComponent(id)}`);
    const call = `curl -gsS -o "$answers/cancelled" -X POST "$base/v2/$endpoint${path}" -H "authorization: $QUEUEPROOF_API_KEY"`;
    return `[ -z "\${${variable}:-}" ] || ${call}`;
  }

  #sleepUpTo(fromMs: number): void {
    const gapMs = this.#lastMs === undefined ? 0 : fromMs - this.#lastMs;
    if (!this.#failure.isRealTime || gapMs < gapMsMin || this.#pending.length > 0) return;
    this.#lines.push(`sleep ${(gapMs / 1000).toFixed(2)}`);
  }
}

type ControlStep = Extract<RecordedStep, { kind: "control" }>["call"];

/** A step with the time it took, in milliseconds. */
interface TimedStep {
  readonly step: RecordedStep;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The steps up to an exchange, in the order in which they were begun. */
function stepsUpTo(steps: readonly RecordedStep[], last: Exchange): readonly TimedStep[] {
  const timed = steps.map((step): TimedStep => {
    if (step.kind !== "exchange") return { step, fromMs: step.atMs, toMs: step.atMs };
    const { sentAtMs, answeredAtMs } = step.exchange;
    return { step, fromMs: sentAtMs, toMs: answeredAtMs };
  });
  return timed
    .filter(({ fromMs }) => fromMs < last.answeredAtMs)
    .filter(({ step }) => step.kind !== "exchange" || step.exchange.failure?.kind !== "lacking")
    .toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Whether a later step was begun before this one was over. */
function isOvertaken(step: TimedStep, steps: readonly TimedStep[]): boolean {
  return steps.some(({ fromMs }, at) => at > steps.indexOf(step) && fromMs < step.toMs);
}
