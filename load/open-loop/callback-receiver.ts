import type { IncomingMessage, ServerResponse } from "node:http";

import { monotonicNowMs } from "../../client/exchange.ts";
import { parseJson } from "../../client/parse-json.ts";
import { isLooseRecord } from "../../harness/record.ts";
import type { LooseRecord } from "../../harness/record.ts";
import { ReceiverServer, readText } from "../../harness/webhooks/receiver-server.ts";
import type { ReceiverAddress } from "../../harness/webhooks/receiver-server.ts";

/** A call of the webhook of a submission. */
export interface WebhookCall {
  /** The number of the submission. */
  readonly number: number;
  readonly atMs: number;
  readonly answered: 200 | 500;
  readonly record: LooseRecord | undefined;
}

/** What a worker told of an execution (docs/test-my-server.md#the-ledger). */
export interface ToldExecution {
  readonly number: number;
  readonly jobId: string;
  readonly worker: string;
  readonly event: "start" | "end";
  readonly atMs: number;
}

/** More than any scenario brings: what comes beyond is answered and not kept. */
const keptMax = 200_000;

/** Receives the webhooks and the ledger of a load; each path ends in the number of the submission. */
export class CallbackReceiver {
  readonly calls: WebhookCall[] = [];
  readonly executions: ToldExecution[] = [];
  readonly #refusesFirst: (number: number) => boolean;
  readonly #called = new Set<number>();
  #server: ReceiverServer | undefined;

  private constructor(refusesFirst: (number: number) => boolean) {
    this.#refusesFirst = refusesFirst;
  }

  /**
   * @param refusesFirst whether the first webhook call of a submission is answered 500
   * @throws Inconclusive where the port is taken
   */
  static async start(
    address: ReceiverAddress = {},
    refusesFirst: (number: number) => boolean = () => false,
  ): Promise<CallbackReceiver> {
    const receiver = new CallbackReceiver(refusesFirst);
    receiver.#server = await ReceiverServer.start(address, (request, response) => {
      void receiver.#take(request, response);
    });
    return receiver;
  }

  webhookUrl(number: number): string {
    return `${this.#server?.url ?? ""}/webhook/${number}`;
  }

  ledgerUrl(number: number): string {
    return `${this.#server?.url ?? ""}/ledger/${number}`;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const atMs = monotonicNowMs();
    const [, kind, digits] = /\/(webhook|ledger)\/(\d+)$/.exec(request.url ?? "") ?? [];
    const body = parseJson((await readText(request)) ?? "");
    const number = Number(digits);
    const isKept = this.calls.length + this.executions.length < keptMax;
    if (kind === "ledger") {
      if (isKept && isExecution(body)) this.executions.push({ ...body, number, atMs });
    } else if (kind === "webhook") {
      const isFirst = !this.#called.has(number);
      this.#called.add(number);
      const answered = isFirst && this.#refusesFirst(number) ? 500 : 200;
      const record = isLooseRecord(body) ? body : undefined;
      if (isKept) this.calls.push({ number, atMs, answered, record });
      response.statusCode = answered;
    }
    response.end();
  }
}

function isExecution(value: unknown): value is Pick<ToldExecution, "jobId" | "worker" | "event"> {
  if (typeof value !== "object" || value === null) return false;
  if (!("jobId" in value) || !("worker" in value) || !("event" in value)) return false;
  const { jobId, worker, event } = value;
  return (
    typeof jobId === "string" &&
    typeof worker === "string" &&
    (event === "start" || event === "end")
  );
}
