import { setTimeout as pause } from "node:timers/promises";

import {
  ControlClient,
  JobClient,
  Redactor,
  Transport,
  addSecrets,
  rulesFor,
} from "../client/index.ts";
import type {
  EndpointOptions,
  RequestRules,
  TransportRequest,
  TransportResult,
} from "../client/index.ts";
import type { Capability, OperationName } from "../openapi/index.ts";
import { windowMs } from "../openapi/index.ts";
import type { LoadMeter } from "./meter.ts";
import { untilAnswered } from "./send-again.ts";

/** The target, as far as the engines need it. */
export interface EngineTarget {
  /** Without `/v2` and without a slash at the end. */
  readonly baseUrl: string;
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly controlUrl?: string;
  readonly capabilities: readonly Capability[];
  /** How requests to it are sent; absent: as to any. */
  readonly rules?: RequestRules;
}

/** Whatever the kind of window, 20 s of silence make the whole limit free again (RATE-09). */
export const silenceMs = silenceFor(windowMs);

/** How long what was rested for may be in use, as a rule. */
const burstMsMax = 1_000;

function silenceFor(ofWindowMs: number): number {
  return 2 * ofWindowMs + 1_000;
}

/** Endpoints on a real clock for engines that know no other. */
export class EngineEndpoints {
  readonly redactor = new Redactor();
  readonly #target: EngineTarget;
  /** How requests are sent. */
  readonly rules: RequestRules;
  readonly #transport: Transport;
  readonly #control: ControlClient | undefined;
  readonly #meter: LoadMeter | undefined;
  readonly #made: string[] = [];
  readonly #beganMs = performance.now();
  readonly #usedMs = new Map<OperationName, number>();

  constructor(target: EngineTarget, meter?: LoadMeter) {
    this.#target = target;
    this.#meter = meter;
    this.rules = rulesFor(target);
    this.#transport = new Transport(this.rules, 8);
    addSecrets(this.rules, this.redactor);
    const { controlUrl, capabilities } = target;
    if (controlUrl !== undefined && capabilities.includes("endpoints")) {
      this.#control = new ControlClient(this.#transport, controlUrl);
    }
  }

  /** Whether each endpoint is a new one. */
  get areFresh(): boolean {
    return this.#control !== undefined;
  }

  /** Whether there is any. */
  get exist(): boolean {
    const { endpointId, apiKey } = this.#target;
    return this.areFresh || (endpointId !== undefined && apiKey !== undefined);
  }

  /** A fresh endpoint where the target makes them, else the one there is. */
  async next(options: EndpointOptions = {}): Promise<JobClient> {
    const { redactor } = this;
    const { baseUrl, endpointId = "", apiKey } = this.#target;
    const transport = this.#transport;
    const sendOnce = async (request: TransportRequest): Promise<TransportResult> => {
      const line = `${request.method} ${new URL(request.url).pathname}`;
      this.#meter?.sent(line);
      const result = await transport.send(request);
      this.#meter?.answered(result.answer?.status ?? 0, line);
      return result;
    };
    const send = async (request: TransportRequest): Promise<TransportResult> => {
      const sendAgain = (): Promise<TransportResult> =>
        sendOnce({ ...request, newConnection: true });
      const { signal } = request;
      return untilAnswered(await sendOnce(request), sendAgain, {
        meter: this.#meter,
        signal,
      });
    };
    const common = { transport, redactor, baseUrl, send };
    if (this.#control === undefined) return new JobClient({ ...common, endpointId, apiKey });

    const made = await this.#control.createEndpoint({ clock: "real", ...options });
    this.#made.push(made.endpointId);
    return new JobClient({ ...common, endpointId: made.endpointId, apiKey: made.apiKey });
  }

  /** The same, its windows empty: the one there is has to be left alone for that. */
  async nextRested(
    signal: AbortSignal | undefined,
    options: EndpointOptions = {},
    ofWindowMs = windowMs,
  ): Promise<JobClient> {
    if (!this.areFresh) {
      await pause(silenceFor(ofWindowMs), undefined, signal === undefined ? {} : { signal });
    }
    return this.next(options);
  }

  /**
   * The same for one operation alone: since when it has rested is known, as far as it was used through this.
   * @param used the operations that are used with it, which then have to rest before their own turn.
   */
  async nextRestedFor(
    operation: OperationName,
    used: readonly OperationName[],
    signal: AbortSignal | undefined,
  ): Promise<JobClient> {
    if (!this.areFresh) {
      const usedMs = this.#usedMs.get(operation) ?? this.#beganMs;
      const restMs = Math.max(0, usedMs + silenceMs - performance.now());
      await pause(restMs, undefined, signal === undefined ? {} : { signal });
      this.noteUsed([operation, ...used]);
    }
    return this.next();
  }

  /** Takes note that operations are in use, or were until now. */
  noteUsed(operations: readonly OperationName[]): void {
    for (const each of operations) this.#usedMs.set(each, performance.now() + burstMsMax);
  }

  /** Frees the endpoints that were made. */
  async close(): Promise<void> {
    for (const endpointId of this.#made) {
      await this.#control?.deleteEndpoint(endpointId).catch(() => undefined);
    }
    await this.#transport.close();
  }
}
