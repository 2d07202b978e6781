import type Libsql from "libsql";

import type { Endpoint } from "../endpoint.ts";
import type { FormerEndpoint } from "../endpoint-plan.ts";
import type { Job } from "../job.ts";
import type { Journal } from "../journal.ts";
import { isFinal } from "../transitions.ts";
import type { Delivery } from "../webhooks.ts";
import {
  beginLog,
  damagedError,
  openDatabase,
  releaseDatabase,
  unwrittenError,
} from "./open-database.ts";
import {
  deliveryFacts,
  deliveryRow,
  endpointFacts,
  endpointRow,
  jobFacts,
  jobResult,
  jobRow,
  read,
  readDelivery,
  readEndpoint,
  readJob,
  type StoredEndpoint,
} from "./rows.ts";
import { prepareStatements, type Statements } from "./statements.ts";

/** An endpoint as a state file keeps it. */
export interface KeptEndpoint {
  readonly stored: StoredEndpoint;
  readonly former: FormerEndpoint;
}

/** What was told and is not written yet. */
class Batch {
  readonly endpoints = new Set<Endpoint>();
  readonly removed = new Set<Endpoint>();
  readonly jobs = new Map<Job, Endpoint>();
  readonly deliveries = new Map<Delivery, Endpoint>();

  get isEmpty(): boolean {
    return this.endpoints.size === 0 && this.removed.size === 0 && this.deliveries.size === 0;
  }
}

/**
 * Keeps endpoints, jobs and webhook calls in an SQLite file. All that happens in one turn of the
 * event loop is written at its end in one transaction, so the file always holds one moment whole.
 */
export class StateFile implements Journal {
  readonly #database: Libsql.Database;
  readonly #path: string;
  readonly #statements: Statements;
  /** Of which attempt the result stands in the file; 0: of none, but the job does. */
  readonly #keptResult = new WeakMap<Job, number>();
  #batch = new Batch();
  #writing: Promise<void> | undefined;
  #isClosed = false;

  private constructor(database: Libsql.Database, path: string) {
    this.#database = database;
    this.#path = path;
    this.#statements = prepareStatements(database);
  }

  /** @throws StateFileError when the file cannot be used; nothing of it has been changed then */
  static async open(path: string): Promise<StateFile> {
    return new StateFile(await openDatabase(path), path);
  }

  /**
   * Everything there is, the endpoints and the jobs of each in the order in which they were made.
   * To be called once, before anything is told: only then the file is changed at all.
   * @throws StateFileError when a row is damaged; nothing of the file has been changed then
   */
  load(): readonly KeptEndpoint[] {
    try {
      const kept = this.#statements.endpoints.all().map((row) => {
        const stored = readEndpoint(read(endpointRow, row));
        return { stored, former: this.#loadJobs(stored) };
      });
      beginLog(this.#database);
      return kept;
    } catch (error) {
      throw damagedError(this.#path, error);
    }
  }

  /** A fact about the whole file, such as which endpoint is the default one. */
  fact(name: string): string | undefined {
    const row = this.#statements.fact.get(name);
    return typeof row === "object" && row !== null && "value" in row
      ? String(row.value)
      : undefined;
  }

  setFact(name: string, value: string): void {
    this.#statements.setFact.run(name, value);
  }

  endpointChanged(endpoint: Endpoint): void {
    this.#batch.endpoints.add(endpoint);
    this.#plan();
  }

  endpointRemoved(endpoint: Endpoint): void {
    this.#batch.removed.add(endpoint);
    this.#plan();
  }

  jobChanged(endpoint: Endpoint, job: Job): void {
    this.#batch.jobs.set(job, endpoint);
    // Its counters and its clock belong to the same moment.
    this.endpointChanged(endpoint);
  }

  deliveryChanged(endpoint: Endpoint, delivery: Delivery): void {
    this.#batch.deliveries.set(delivery, endpoint);
    this.#plan();
  }

  written(): Promise<void> | undefined {
    return this.#writing;
  }

  /**
   * Writes what waits to be written and lets the file go.
   * @throws StateFileError when it cannot be written any more
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      if (!this.#batch.isEmpty) this.#write();
      releaseDatabase(this.#database);
    } catch (error) {
      throw unwrittenError(this.#path, error);
    }
  }

  #plan(): void {
    if (this.#writing !== undefined || this.#isClosed) return;
    this.#writing = new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#writing = undefined;
        try {
          if (!this.#isClosed) this.#write();
          resolve();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      });
    });
    // Who waits for it hears of a failure; where nobody waits it is told with the next write.
    this.#writing.catch(() => {});
  }

  /** All or nothing. What could not be written is tried again with what is told next. */
  #write(): void {
    const batch = this.#batch;
    const { begin, commit, rollback } = this.#statements;
    begin.run();
    try {
      this.#writeBatch(batch);
      commit.run();
    } catch (error) {
      rollback.run();
      throw error;
    }
    for (const job of batch.jobs.keys()) this.#keptResult.set(job, resultOf(job));
    this.#batch = new Batch();
  }

  #writeBatch({ endpoints, removed, jobs, deliveries }: Batch): void {
    const { putEndpoint, putDelivery, dropDelivery, dropEndpoint } = this.#statements;
    for (const endpoint of endpoints) putEndpoint.run(endpoint.id, endpointFacts(endpoint));
    for (const [job, endpoint] of jobs) this.#writeJob(endpoint, job);
    for (const [delivery, endpoint] of deliveries) {
      if (delivery.isOver) dropDelivery.run(delivery.id);
      else putDelivery.run(delivery.id, endpoint.id, delivery.job.id, deliveryFacts(delivery));
    }
    for (const endpoint of removed) for (const drop of dropEndpoint) drop.run(endpoint.id);
  }

  #writeJob(endpoint: Endpoint, job: Job): void {
    const { dropJob, addJob, setJob, setResult } = this.#statements;
    const kept = this.#keptResult.get(job);
    if (job.isDeleted) {
      if (kept !== undefined) dropJob.run(endpoint.id, job.id);
    } else if (kept === undefined) {
      const submission = JSON.stringify(job.submission);
      addJob.run(endpoint.id, job.id, submission, jobFacts(job), jobResult(job));
    } else if (kept === resultOf(job)) {
      setJob.run(jobFacts(job), endpoint.id, job.id);
    } else {
      setResult.run(jobFacts(job), jobResult(job), endpoint.id, job.id);
    }
  }

  #loadJobs({ id, counts, sequence }: StoredEndpoint): FormerEndpoint {
    const jobs = this.#statements.jobs.all(id).map((row) => readJob(read(jobRow, row)));
    const byId = new Map(jobs.map(({ job }) => [job.id, job]));
    for (const { job } of jobs) this.#keptResult.set(job, resultOf(job));
    const deliveries = this.#statements.deliveries.all(id).flatMap((row) => {
      const found = read(deliveryRow, row);
      const job = byId.get(found.job);
      return job === undefined ? [] : [readDelivery(found, job)];
    });
    return { counts, sequence, jobs, deliveries };
  }
}

/** The attempt whose result a job has; 0 while it has none. */
function resultOf({ status, attempt }: Job): number {
  return isFinal(status) ? attempt : 0;
}
