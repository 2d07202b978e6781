import { setTimeout as pause } from "node:timers/promises";

import type { EndpointOptions } from "../../client/control-client.ts";
import { destinationOf } from "../../client/connect.ts";
import { monotonicNowMs } from "../../client/exchange.ts";
import { JobClient } from "../../client/job-client.ts";
import { Redactor } from "../../client/redactor.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { Transport } from "../../client/transport.ts";
import { dialectOf } from "../../harness/discovery/learned-dialect.ts";
import { EndpointSource } from "../../harness/endpoint/endpoint-source.ts";
import type { EndpointKey, TargetAccess } from "../../harness/endpoint/endpoint-source.ts";
import { conformanceJobs } from "../../harness/inputs/conformance-jobs.ts";
import type { Jobs } from "../../harness/inputs/jobs.ts";
import { OwnJobs } from "../../harness/inputs/own-jobs.ts";
import type { OwnJobKinds } from "../../harness/inputs/jobs-file.ts";
import { openTransport } from "../../harness/open-transport.ts";
import type { ReceiverAddress } from "../../harness/webhooks/receiver-server.ts";
import { BookedClient } from "./booked-client.ts";
import { JobBook } from "./job-book.ts";
import type { BookedJob } from "./job-book.ts";
import { meteredSend } from "../meter.ts";
import type { LoadSupervision } from "../meter.ts";
import { Toxiproxy } from "../toxiproxy/toxiproxy.ts";
import { CallbackReceiver } from "./callback-receiver.ts";

/** A target, and what its workers can be asked to do. */
export interface LoadTarget extends TargetAccess {
  readonly jobs?: OwnJobKinds;
  readonly otherEndpointIds?: readonly string[];
}

export interface BookedRunOptions<Role extends string> extends LoadSupervision {
  readonly target: LoadTarget;
  readonly webhook?: ReceiverAddress | undefined;
  /** The file of Toxiproxy, where the fault is one of the network. */
  readonly toxiproxyPath?: string | undefined;
  /** Whether the first webhook call of a job of this role is answered 500. */
  readonly refusesFirst?: (role: Role) => boolean;
  /** The first endpoint, where the target makes fresh ones; absent: four workers. */
  readonly endpoint?: Pick<EndpointOptions, "workers" | "scaling">;
  /** Whether a second endpoint is wanted, for jobs that must not wait behind the load. */
  readonly wantsSecond?: boolean;
}

/** Enough that no request waits for a connection while a target stands still for some seconds. */
const connectionsMax = 512;

/** A request that a fault swallowed is given up after this time, unless a shorter one is set. */
const timeoutMsMax = 10_000;

const firstWorkers = 4;

/** What an open loop sends by: one endpoint for the load and, where one is wanted and there is one, a second. */
export class BookedRun<Role extends string> {
  readonly book = new JobBook<Role>();
  readonly redactor = new Redactor();
  readonly jobs: Jobs;
  readonly isAlone: boolean;
  readonly toxiproxy: Toxiproxy | undefined;
  readonly receiver: CallbackReceiver;
  readonly tellsExecutions: boolean;
  first!: BookedClient<Role>;
  second: BookedClient<Role> | undefined;
  readonly #options: BookedRunOptions<Role>;
  readonly #source: EndpointSource;
  readonly #transport: Transport;

  private constructor(
    options: BookedRunOptions<Role>,
    receiver: CallbackReceiver,
    toxiproxy: Toxiproxy | undefined,
  ) {
    const { target } = options;
    this.#options = options;
    this.receiver = receiver;
    this.toxiproxy = toxiproxy;
    this.#source = new EndpointSource(target);
    this.isAlone = this.#source.areFresh;
    this.jobs = jobsOf(target);
    this.tellsExecutions = target.capabilities.includes("ledger");
    const rules = rulesFor(target);
    const { connection } = rules;
    const through = toxiproxy === undefined ? {} : { through: toxiproxy.place };
    const timeoutMs = Math.min(timeoutMsMax, rules.timeoutMs);
    const sent = { ...rules, timeoutMs, connection: { ...connection, ...through } };
    this.#transport = openTransport(sent, target.discovery, connectionsMax);
  }

  /** @throws Inconclusive where the port for webhooks is taken, or Toxiproxy does not start */
  static async open<Role extends string>(
    options: BookedRunOptions<Role>,
  ): Promise<BookedRun<Role>> {
    const { target, toxiproxyPath, webhook, refusesFirst } = options;
    let run: BookedRun<Role> | undefined;
    const receiver = await CallbackReceiver.start(webhook, (number) => {
      const job = run?.book.jobs[number - 1];
      return job !== undefined && refusesFirst?.(job.role) === true;
    });
    const closing: { close(): Promise<void> }[] = [receiver];
    try {
      const place = destinationOf(rulesFor(target), new URL(target.baseUrl));
      const toxiproxy =
        toxiproxyPath === undefined ? undefined : await Toxiproxy.start(toxiproxyPath, place);
      if (toxiproxy !== undefined) closing.push(toxiproxy);
      run = new BookedRun(options, receiver, toxiproxy);
      closing.push(run);
      await run.#openEndpoints();
      return run;
    } catch (error) {
      await Promise.all(closing.map(async (each) => each.close()));
      throw error;
    }
  }

  async #openEndpoints(): Promise<void> {
    const { target } = this.#options;
    this.first = this.#clientOf(
      await this.#source.next({
        clock: "real",
        ...(this.#options.endpoint ?? { workers: firstWorkers }),
      }),
    );
    if (this.#options.wantsSecond !== true) return;
    if (this.#source.areFresh) {
      this.second = this.#clientOf(await this.#source.next({ clock: "real", workers: 1 }));
      return;
    }
    const [other] = target.otherEndpointIds ?? [];
    const { apiKey } = this.first.client.options;
    if (other !== undefined && apiKey !== undefined) {
      this.second = this.#clientOf({ endpointId: other, apiKey });
    }
  }

  #clientOf(key: EndpointKey): BookedClient<Role> {
    const { target, meter, signal } = this.#options;
    const transport = this.#transport;
    const client = new JobClient({
      transport,
      redactor: this.redactor,
      baseUrl: target.baseUrl,
      ...key,
      translation: dialectOf(target),
      ...(signal !== undefined && { signal }),
      send: meteredSend(transport, meter),
    });
    const { receiver } = this;
    return new BookedClient(client, this.book, {
      ...(target.capabilities.includes("webhook") && {
        webhook: (number) => receiver.webhookUrl(number),
      }),
      ...(this.tellsExecutions && { ledger: (number) => receiver.ledgerUrl(number) }),
    });
  }

  /** Whether jobs can be had that work for a while. */
  get works(): boolean {
    return this.#has("slow");
  }

  get fails(): boolean {
    return this.#has("failing");
  }

  get streams(): boolean {
    return this.#has("streaming");
  }

  #has(kind: "slow" | "failing" | "streaming"): boolean {
    const { jobs, capabilities } = this.#options.target;
    return capabilities.includes("handler") || jobs?.[kind] !== undefined;
  }

  /** The jobs of a role, in the order of their submissions. */
  jobsOf(role: Role): readonly BookedJob<Role>[] {
    return this.book.jobs.filter((job) => job.role === role);
  }

  /** The client of the endpoint of a job. */
  clientOf({ endpointId }: Pick<BookedJob, "endpointId">): BookedClient<Role> {
    const isOfSecond = this.second?.client.options.endpointId === endpointId;
    return isOfSecond && this.second !== undefined ? this.second : this.first;
  }

  /** Reads jobs until each fulfils a condition, for `longestMs` at most. Returns whether all do. */
  async readUntil(
    jobs: readonly BookedJob<Role>[],
    isDone: (job: BookedJob<Role>) => boolean,
    { longestMs, everyMs = 500 }: { readonly longestMs: number; readonly everyMs?: number },
  ): Promise<boolean> {
    const endMs = monotonicNowMs() + longestMs;
    const accepted = jobs.filter(({ id }) => id !== undefined);
    for (;;) {
      const left = accepted.filter((job) => !isDone(job));
      if (left.length === 0) return true;
      if (monotonicNowMs() >= endMs || this.#options.signal?.aborted === true) return false;
      await this.read(left);
      await this.pause(everyMs);
    }
  }

  /** Reads each job once, at a pace that no limit of the table refuses. */
  async read(jobs: readonly BookedJob<Role>[]): Promise<void> {
    for (let at = 0; at < jobs.length; at += readsAtOnce) {
      if (this.#options.signal?.aborted === true) return;
      const some = jobs.slice(at, at + readsAtOnce);
      await Promise.all(some.map(async (job) => this.clientOf(job).look(job)));
      if (at + readsAtOnce < jobs.length) await this.pause(readsPauseMs);
    }
  }

  /** Waits, or not, where the run was stopped. */
  async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#options.signal }).catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.receiver.close();
    await this.toxiproxy?.close();
    await this.#transport.close();
    await this.#source.close();
  }
}

/** Ten at once, ten times a second, is half of the limit of status. */
const readsAtOnce = 10;
const readsPauseMs = 100;

function jobsOf({ capabilities, jobs }: LoadTarget): Jobs {
  if (capabilities.includes("handler") || jobs === undefined) return conformanceJobs;
  return new OwnJobs(jobs);
}
