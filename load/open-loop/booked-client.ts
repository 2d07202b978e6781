import { monotonicNowMs } from "../../client/exchange.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { BookedJob, JobBook } from "./job-book.ts";

/** Addresses for one submission: each tells its number. */
export interface Callbacks {
  readonly webhook?: (number: number) => string;
  readonly ledger?: (number: number) => string;
}

export interface BookedSubmission<Role extends string> {
  readonly role: Role;
  readonly input: JobInput;
  readonly policy?: Readonly<Record<string, number>>;
  /** Whether its job yields chunks; absent: it does not. */
  readonly streams?: boolean;
  /** When it was to be sent; absent: now. */
  readonly plannedMs?: number;
}

/** The shortest wait of runsync, in ms (SYNC-03): a runsync that waits longer says nothing more here. */
const waitMs = 1_000;

/** Sends requests to one endpoint and books each. No request is sent again. */
export class BookedClient<Role extends string> {
  readonly client: JobClient;
  readonly #book: JobBook<Role>;
  readonly #callbacks: Callbacks;

  constructor(client: JobClient, book: JobBook<Role>, callbacks: Callbacks = {}) {
    this.client = client;
    this.#book = book;
    this.#callbacks = callbacks;
  }

  async submit(
    operation: "run" | "runsync",
    { role, input, policy, streams = false, plannedMs = monotonicNowMs() }: BookedSubmission<Role>,
  ): Promise<BookedJob<Role>> {
    const { webhook, ledger } = this.#callbacks;
    const job = this.#book.open({
      role,
      operation,
      endpointId: this.client.options.endpointId,
      streams,
      hasWebhook: webhook !== undefined && operation === "run",
      sentMs: monotonicNowMs(),
    });
    const body = {
      input: { ...input, ...(ledger !== undefined && { ledger: ledger(job.number) }) },
      ...(webhook !== undefined && operation === "run" && { webhook: webhook(job.number) }),
      ...(policy !== undefined && { policy }),
    };
    const exchange =
      operation === "run"
        ? await this.client.run(body)
        : await this.client.runsync(body, { wait: waitMs });
    this.#book.note(exchange, plannedMs, job);
    return job;
  }

  async status(job: BookedJob<Role>, plannedMs = monotonicNowMs()): Promise<Exchange> {
    return this.#booked(this.client.status(idOf(job)), plannedMs, job);
  }

  /** Reads a job beside the load. */
  async look(job: BookedJob<Role>): Promise<void> {
    this.#book.look(await this.client.status(idOf(job)), job);
  }

  async stream(job: BookedJob<Role>, plannedMs = monotonicNowMs()): Promise<Exchange> {
    return this.#booked(this.client.stream(idOf(job)), plannedMs, job);
  }

  async cancel(job: BookedJob<Role>, plannedMs = monotonicNowMs()): Promise<Exchange> {
    return this.#booked(this.client.cancel(idOf(job)), plannedMs, job);
  }

  /** A retry whose answer is lost may have been done: it counts from when it was sent. */
  async retry(job: BookedJob<Role>, plannedMs = monotonicNowMs()): Promise<Exchange> {
    job.retriedMs.push(monotonicNowMs());
    return this.#booked(this.client.retry(idOf(job)), plannedMs, job);
  }

  async health(plannedMs = monotonicNowMs()): Promise<Exchange> {
    return this.#booked(this.client.health(), plannedMs);
  }

  async purge(plannedMs = monotonicNowMs()): Promise<Exchange> {
    return this.#booked(this.client.purgeQueue(), plannedMs);
  }

  async #booked(
    sending: Promise<Exchange>,
    plannedMs: number,
    job?: BookedJob<Role>,
  ): Promise<Exchange> {
    const exchange = await sending;
    this.#book.note(exchange, plannedMs, job);
    return exchange;
  }
}

function idOf({ id }: BookedJob): string {
  return id ?? "";
}
