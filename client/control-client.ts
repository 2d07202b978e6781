import { beginning } from "./beginning.ts";
import { capabilities } from "../openapi/capabilities.ts";
import { describeErrors } from "../openapi/describe-errors.ts";
import { validators } from "../openapi/generated/validators.ts";
import type { Capability } from "../openapi/capabilities.ts";
import type { OperationName } from "../openapi/operations.ts";
import type { Schemas, Validator } from "../openapi/schemas.ts";
import { monotonicNowMs } from "./exchange.ts";
import { bodyOf } from "./parsed-body.ts";
import type { Answer, RequestSpan } from "./exchange.ts";
import { printable } from "./printable.ts";
import { withoutTrailingSlash } from "./endpoint-address.ts";
import type { Transport, TransportRequest } from "./transport.ts";

export type ClockKind = Schemas["ControlClock"]["mode"];

/** The options of a fresh endpoint (docs/control-protocol.md). */
export interface EndpointOptions {
  readonly workers?: number;
  readonly scaling?: { readonly min: number; readonly max: number };
  readonly allowance?: number;
  readonly clock?: ClockKind;
  readonly executionTimeoutMs?: number;
}

/** A call of the control protocol, as it is sent; the path is below the protocol's base. */
export interface ControlCall {
  readonly method: TransportRequest["method"];
  readonly path: string;
  readonly body: unknown;
}

export interface ControlClientOptions {
  /** Called with every call before it is sent. */
  readonly onCall?: (call: ControlCall) => void;
  /** Called when a clock has been moved: by the answer, all that was due has happened. */
  readonly onAdvanced?: (endpointId: string, span: RequestSpan) => void;
  readonly signal?: AbortSignal | undefined;
  /** How long a call may take, except `advance`. */
  readonly timeoutMs?: number;
}

/** Why a call failed: no answer, a status that is no success, or a body that was not expected. */
export type ControlProblem = "unanswered" | "refused" | "unreadable";

/** The control protocol was not answered as it has to be: the rig is at fault, not the API under test. */
export class ControlError extends Error {
  override readonly name = "ControlError";
  readonly problem: ControlProblem;
  /** What came, without the call that it is the answer to. */
  readonly got: string;

  constructor(call: string, problem: ControlProblem, got: string) {
    super(`control: ${call}${problem === "unanswered" ? ": " : " answered "}${got}`);
    this.problem = problem;
    this.got = got;
  }
}

/** Whether a call moves a clock. */
export function isAdvance({ path }: Pick<ControlCall, "path">): boolean {
  return path.endsWith("/clock/advance");
}

/** `advance` answers only when everything due has happened, silent webhook receivers included. */
const advanceTimeoutMs = 120_000;

/** Speaks the control protocol, version 1 (docs/control-protocol.md). Everything but a success is a ControlError. */
export class ControlClient {
  readonly #transport: Transport;
  readonly #url: string;
  readonly #options: ControlClientOptions;

  /** @param url the base of the protocol, for instance `http://127.0.0.1:8080/__control` */
  constructor(transport: Transport, url: string, options: ControlClientOptions = {}) {
    this.#transport = transport;
    this.#options = options;
    this.#url = withoutTrailingSlash(url);
  }

  /** The same client with something changed: another signal, another time-out. */
  with(changes: ControlClientOptions): ControlClient {
    return new ControlClient(this.#transport, this.#url, { ...this.#options, ...changes });
  }

  /** The protocol's name and the capabilities it brings. */
  async info(): Promise<{ protocol: string; capabilities: readonly Capability[] }> {
    const info = await this.#json("GET", "/", undefined, validators.ControlInfo);
    const offered = new Set<string>(info.capabilities);
    // A later protocol may name capabilities that this harness does not know: they are ignored.
    return { ...info, capabilities: capabilities.filter((known) => offered.has(known)) };
  }

  /** Makes a fresh endpoint with its own queue, clock and limits, and two keys. */
  async createEndpoint(options: EndpointOptions = {}): Promise<Schemas["ControlEndpoint"]> {
    return this.#json("POST", "/endpoints", options, validators.ControlEndpoint);
  }

  /** Frees an endpoint and everything it holds. */
  async deleteEndpoint(endpointId: string): Promise<void> {
    await this.#send("DELETE", endpointPath(endpointId), undefined);
  }

  /** The endpoint's time in milliseconds and whether it is virtual. */
  async clock(endpointId: string): Promise<Schemas["ControlClock"]> {
    const path = `${endpointPath(endpointId)}/clock`;
    return this.#json("GET", path, undefined, validators.ControlClock);
  }

  /** Moves a virtual clock by `ms` and returns the endpoint's new time, once all that was due has happened. */
  async advance(endpointId: string, ms: number): Promise<number> {
    const path = `${endpointPath(endpointId)}/clock/advance`;
    const sentAtMs = monotonicNowMs();
    const { nowMs } = await this.#json("POST", path, { ms }, validators.ControlAdvanced);
    this.#options.onAdvanced?.(endpointId, { sentAtMs, answeredAtMs: monotonicNowMs() });
    return nowMs;
  }

  /** Sets the number of workers, 0 included. */
  async setWorkers(endpointId: string, count: number): Promise<void> {
    const path = `${endpointPath(endpointId)}/workers`;
    await this.#json("PUT", path, { count }, validators.ControlWorkers);
  }

  /** Holds the answers of an operation back, or lets them go. */
  async hold(endpointId: string, operation: OperationName, held: boolean): Promise<void> {
    const path = `${endpointPath(endpointId)}/hold`;
    await this.#json("PUT", path, { operation, held }, validators.ControlHold);
  }

  async #json<T>(
    method: TransportRequest["method"],
    path: string,
    body: unknown,
    validate: Validator<T>,
  ): Promise<T> {
    const answer = await this.#send(method, path, body);
    const parsed = bodyOf(answer);
    if (parsed.ok && validate(parsed.value)) return parsed.value;
    const why = parsed.ok ? describeErrors(validate.errors) : parsed.why;
    throw new ControlError(`${method} ${path}`, "unreadable", `something else: ${why}`);
  }

  async #send(method: TransportRequest["method"], path: string, body: unknown): Promise<Answer> {
    const { timeoutMs = this.#transport.rules.timeoutMs } = this.#options;
    this.#options.onCall?.({ method, path, body });
    const { answer, failure } = await this.#transport.send({
      method,
      url: this.#url + path,
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: isAdvance({ path }) ? advanceTimeoutMs : timeoutMs,
      // Endpoints are freed also when the run is stopped.
      signal: method === "DELETE" ? undefined : this.#options.signal,
    });
    if (answer === undefined) {
      throw new ControlError(`${method} ${path}`, "unanswered", failure?.message ?? "no answer");
    }
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw new ControlError(`${method} ${path}`, "refused", statusText(answer));
  }
}

function statusText(answer: Answer): string {
  const said = printable(beginning(answer.rawText(), 200));
  return said === "" ? String(answer.status) : `${answer.status}: ${said}`;
}

function endpointPath(endpointId: string): string {
  return `/endpoints/${encodeURIComponent(endpointId)}`;
}
