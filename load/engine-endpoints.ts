import { setTimeout as pause } from "node:timers/promises";

import { JobClient } from "../client/job-client.ts";
import { Redactor } from "../client/redactor.ts";
import { addSecrets } from "../client/request-rules.ts";
import type { EndpointOptions } from "../client/control-client.ts";
import type { RequestRules } from "../client/request-rules.ts";
import type { TransportRequest } from "../client/transport.ts";
import type { TransportResult } from "../client/exchange.ts";
import type { ConfiguredDialect } from "../harness/dialects/configured-dialect.ts";
import { dialectOf } from "../harness/discovery/learned-dialect.ts";
import { EndpointSource, hasEndpoint } from "../harness/endpoint/endpoint-source.ts";
import type { TargetAccess } from "../harness/endpoint/endpoint-source.ts";
import type { OperationName } from "../openapi/operations.ts";
import { windowMs } from "../openapi/operations.ts";
import { meteredSend } from "./meter.ts";
import type { LoadMeter } from "./meter.ts";
import { untilAnswered } from "./send-again.ts";

/** After 20 s without requests the whole limit is free again for every kind of window (RATE-09); 1 s is margin. */
export const silenceMs = silenceFor(windowMs);

/** The reason in a report why engines send nothing where there is no endpoint. */
export const noEndpointReason = "no endpoint and key were given, and the target makes no endpoints";

/** For how long after `noteUsed` an operation counts as in use: about as long as a burst takes. */
const burstMsMax = 1_000;

function silenceFor(ofWindowMs: number): number {
  return 2 * ofWindowMs + 1_000;
}

/** Endpoints on a real clock, for engines that cannot use a virtual one. */
export class EngineEndpoints {
  readonly redactor = new Redactor();
  readonly #source: EndpointSource;
  readonly #dialect: ConfiguredDialect;
  /** How requests are sent. */
  readonly rules: RequestRules;
  readonly #meter: LoadMeter | undefined;
  readonly #beganMs = performance.now();
  readonly #usedMs = new Map<OperationName, number>();

  constructor(target: TargetAccess, meter?: LoadMeter) {
    this.#source = new EndpointSource(target);
    this.#dialect = dialectOf(target);
    this.#meter = meter;
    this.rules = this.#source.rules;
    addSecrets(this.rules, this.redactor);
  }

  /** Whether each call of `next` makes a new endpoint. */
  get areFresh(): boolean {
    return this.#source.areFresh;
  }

  /** Whether the target has or makes any endpoint. */
  get exist(): boolean {
    return hasEndpoint(this.#source.target);
  }

  /** A client of a fresh endpoint where the target makes them, else of the given one. */
  async next(options: EndpointOptions = {}): Promise<JobClient> {
    const { transport, target } = this.#source;
    const sendOnce = meteredSend(transport, this.#meter);
    const send = async (request: TransportRequest): Promise<TransportResult> => {
      const sendAgain = (): Promise<TransportResult> =>
        sendOnce({ ...request, newConnection: true });
      const { signal } = request;
      return untilAnswered(await sendOnce(request), sendAgain, { meter: this.#meter, signal });
    };
    return new JobClient({
      ...(await this.#source.next({ clock: "real", ...options })),
      baseUrl: target.baseUrl,
      translation: this.#dialect,
      redactor: this.redactor,
      transport,
      send,
    });
  }

  /** The same, with empty windows: waits two windows and 1 s first where the endpoint is not fresh. */
  async nextRested(
    signal: AbortSignal | undefined,
    options: EndpointOptions,
    ofWindowMs: number,
  ): Promise<JobClient> {
    if (!this.areFresh) await pause(silenceFor(ofWindowMs), undefined, { signal });
    return this.next(options);
  }

  /**
   * The same for one operation: waits until `silenceMs` after its last use through this object, or after its making.
   * @param used the operations that are used with it; they have to rest too before their own turn.
   */
  async nextRestedFor(
    operation: OperationName,
    used: readonly OperationName[],
    signal: AbortSignal | undefined,
  ): Promise<JobClient> {
    if (!this.areFresh) {
      const usedMs = this.#usedMs.get(operation) ?? this.#beganMs;
      const restMs = Math.max(0, usedMs + silenceMs - performance.now());
      await pause(restMs, undefined, { signal });
      this.noteUsed([operation, ...used]);
    }
    return this.next();
  }

  /** Notes that operations are in use, or were until now. */
  noteUsed(operations: readonly OperationName[]): void {
    for (const each of operations) this.#usedMs.set(each, performance.now() + burstMsMax);
  }

  /** Frees the endpoints that were made. */
  async close(): Promise<void> {
    await this.#source.close();
  }
}
