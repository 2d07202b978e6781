import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { parseJson } from "../../client/parse-json.ts";
import { isLooseRecord } from "../../harness/record.ts";
import { ReceiverServer, readText } from "../../harness/webhooks/receiver-server.ts";
import type { ReceiverAddress } from "../../harness/webhooks/receiver-server.ts";
import type { Series } from "../k6/points.ts";

export interface ReceiverOptions extends ReceiverAddress {
  /** Which of several runners it belongs to: each gets the calls of its own jobs. */
  readonly runner?: number | undefined;
}

/** Counts webhook calls. Each path ends in the webhook's own number and the moment its job was ordered (epoch ms). */
export class ScenarioReceiver {
  readonly #calls = new Map<string, number>();
  readonly #delaysMs: number[] = [];
  readonly #path: string;
  #wrong = 0;
  #strays = 0;
  #server: ReceiverServer | undefined;

  private constructor(runner: number | undefined) {
    this.#path = runner === undefined ? "" : `/runner-${runner}`;
  }

  /** @throws Inconclusive where the port is taken */
  static async start({ runner, ...address }: ReceiverOptions = {}): Promise<ScenarioReceiver> {
    const receiver = new ScenarioReceiver(runner);
    receiver.#server = await ReceiverServer.start(address, (request, response) => {
      void receiver.#take(request, response);
    });
    return receiver;
  }

  /** The URL for the webhooks of its runner, without the numbers of each. */
  get url(): string {
    return `${this.#server?.url ?? ""}${this.#path}`;
  }

  /** Waits until `count` different webhooks were called, for `longestMs` at most. */
  async awaitCalls(count: number, longestMs: number): Promise<void> {
    const endMs = performance.now() + longestMs;
    while (this.#calls.size < count && performance.now() < endMs) await pause(20);
  }

  /** What it saw, where `expected` webhooks had to be called. */
  series(expected: number): ReadonlyMap<string, Series> {
    const calls = [...this.#calls.values()].reduce((sum, count) => sum + count, 0);
    return new Map<string, Series>([
      ["webhooks.calls", counter(calls)],
      ["webhooks.lost", counter(Math.max(0, expected - this.#calls.size))],
      ["webhooks.again", counter(calls - this.#calls.size)],
      ["webhooks.wrong", counter(this.#wrong)],
      ["webhooks.strays", counter(this.#strays)],
      ["webhooks.delay", { type: "trend", values: this.#delaysMs }],
    ]);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  /** A call for another runner. A public address may have a path of its own before ours. */
  #isStray(path: string): boolean {
    return /\/runner-\d+\//.test(path) && !path.includes(`${this.#path}/`);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrivedMs = Date.now();
    const path = request.url ?? "";
    if (this.#isStray(path)) {
      this.#strays += 1;
      request.resume();
      response.end();
      return;
    }
    const isFirst = !this.#calls.has(path);
    this.#calls.set(path, (this.#calls.get(path) ?? 0) + 1);
    const orderedMs = Number(path.split("/").at(-1));
    if (isFirst && Number.isFinite(orderedMs)) this.#delaysMs.push(arrivedMs - orderedMs);
    const isRecord = isCompletedRecord(parseJson((await readText(request)) ?? ""));
    if (!isRecord || request.method !== "POST") this.#wrong += 1;
    response.end();
  }
}

function counter(count: number): Series {
  return { type: "counter", values: [count] };
}

function isCompletedRecord(body: unknown): boolean {
  return isLooseRecord(body) && body.status === "COMPLETED";
}
