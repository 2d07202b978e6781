import type { Endpoint } from "../endpoint.ts";
import type { FormerEndpoint, FormerJob } from "../endpoint-plan.ts";
import type { Job } from "../job.ts";
import type { Journal } from "../journal.ts";
import { isFinal } from "../transitions.ts";
import type { Delivery } from "../webhooks.ts";
import { Batch } from "./batch.ts";
import { leaveDeliveryInFile, leaveJobInFile } from "./large-values.ts";
import {
  deliveryFacts,
  deliveryRow,
  endpointFacts,
  endpointRow,
  jobFacts,
  idRow,
  jobResult,
  jobRow,
  read,
  readDelivery,
  readEndpoint,
  readJob,
  type StoredEndpoint,
} from "./rows.ts";
import { SqliteStore } from "./sqlite-store.ts";
import { damagedError, messageOf, unwrittenError } from "./state-file-error.ts";
import type { OpenStore, Store } from "./store.ts";

/** An endpoint as a state file keeps it. */
export interface KeptEndpoint {
  readonly stored: StoredEndpoint;
  readonly former: FormerEndpoint;
}

/** What a write could not write, and why. */
interface Unwritten {
  readonly batch: Batch;
  readonly cause: unknown;
}

export interface StateFileOptions {
  /** Default SQLite. */
  readonly openStore?: OpenStore | undefined;
  /** Called with a line of text when the file cannot be written any more, and when it can again. */
  readonly log?: ((line: string) => void) | undefined;
}

/**
 * Keeps endpoints, jobs and webhook calls in an SQLite file. Everything that happens in one turn of the event loop is
 * written at its end in one transaction, so that the file always shows one whole moment.
 */
export class StateFile implements Journal<Endpoint> {
  readonly #store: Store;
  readonly #path: string;
  readonly #log: (line: string) => void;
  /** For each job in the file, the attempt whose result stands there; 0 where there is no result yet. */
  readonly #keptResult = new WeakMap<Job, number>();
  #batch = new Batch();
  #writing: Promise<Unwritten | undefined> | undefined;
  #unwritten: Unwritten | undefined;
  #isClosed = false;

  private constructor(store: Store, path: string, log: (line: string) => void) {
    this.#store = store;
    this.#path = path;
    this.#log = log;
  }

  /** @throws StateFileError when the file cannot be used; it is unchanged then */
  static async open(path: string, options: StateFileOptions = {}): Promise<StateFile> {
    const { openStore = (file) => SqliteStore.open(file), log = () => {} } = options;
    return new StateFile(await openStore(path), path, log);
  }

  /**
   * Reads all endpoints, and the jobs of each, in the order in which they were made. It has to be called once, before
   * any change is reported: the file is not changed before this.
   * @throws StateFileError when a row is damaged; the file is unchanged then
   */
  load(): readonly KeptEndpoint[] {
    let kept: readonly KeptEndpoint[];
    try {
      kept = this.#store.all("endpoints").map((row) => {
        const stored = readEndpoint(read(endpointRow, row));
        return { stored, former: this.#loadJobs(stored) };
      });
    } catch (error) {
      throw damagedError(this.#path, error);
    }
    try {
      this.#store.beginLog();
      return kept;
    } catch (error) {
      throw unwrittenError(this.#path, error);
    }
  }

  /** A fact about the whole file, such as which endpoint is the default one. */
  fact(name: string): string | undefined {
    const [row] = this.#store.all("fact", name);
    return typeof row === "object" && row !== null && "value" in row
      ? String(row.value)
      : undefined;
  }

  setFact(name: string, value: string): void {
    this.#batch.facts.set(name, value);
    this.#plan();
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
    this.endpointChanged(endpoint);
  }

  deliveryChanged(endpoint: Endpoint, delivery: Delivery): void {
    this.#batch.deliveries.set(delivery, endpoint);
    this.#plan();
  }

  written(job?: Job): Promise<void> | undefined {
    // Tries again what an earlier write could not write.
    if (!this.#batch.isEmpty) this.#plan();
    return this.#writing?.then((unwritten) => {
      if (unwritten === undefined) return;
      if (job !== undefined && !unwritten.batch.jobs.has(job)) return;
      throw new Error(`the state file cannot be written: ${messageOf(unwritten.cause)}`);
    });
  }

  /**
   * Writes at once what waits to be written.
   * @throws StateFileError when some of it cannot be written
   */
  flush(): void {
    if (!this.#batch.isEmpty) this.#write();
    if (this.#unwritten !== undefined) throw unwrittenError(this.#path, this.#unwritten.cause);
  }

  /**
   * Writes what waits to be written and closes the file, whether the write succeeds or not.
   * @throws StateFileError when the file cannot be written any more
   */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    try {
      this.flush();
    } finally {
      this.#release();
    }
  }

  /** Closes the file without writing. */
  abandon(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#release();
  }

  /** A log that stays beside the file loses nothing: the next start puts it into the file. */
  #release(): void {
    try {
      this.#store.close();
    } catch (error) {
      this.#log(`The log of the state file ${this.#path} stays beside it: ${messageOf(error)}.`);
    }
  }

  #plan(): void {
    if (this.#writing !== undefined || this.#isClosed) return;
    this.#writing = new Promise((resolve) => {
      setImmediate(() => {
        this.#writing = undefined;
        if (!this.#isClosed) this.#write();
        resolve(this.#unwritten);
      });
    });
  }

  /** Writes the batch in one transaction or, where that fails, part by part, so that no part can harm another. */
  #write(): void {
    const batch = this.#batch;
    this.#batch = new Batch();
    const cause = this.#failureOf(batch);
    const before = this.#unwritten;
    this.#unwritten = cause === undefined ? undefined : this.#writeParts(batch, cause);
    if ((before === undefined) !== (this.#unwritten === undefined)) this.#tellOfChange();
    if (this.#unwritten !== undefined) this.#keepForLater(this.#unwritten.batch);
  }

  #writeParts(batch: Batch, cause: unknown): Unwritten | undefined {
    const left = new Batch();
    for (const part of batch.parts()) {
      if (this.#failureOf(part) !== undefined) left.add(part);
    }
    return left.isEmpty ? undefined : { batch: left, cause };
  }

  #tellOfChange(): void {
    const file = `The state file ${this.#path}`;
    this.#log(
      this.#unwritten === undefined
        ? `${file} can be written again; nothing that was told is missing from it.`
        : `${file} cannot be written: ${messageOf(this.#unwritten.cause)}. What is not in it is not told: such requests are answered 500 until it can.`,
    );
  }

  /** Keeps the rest for the next write. Gives up jobs that the file lacks, since their submission is answered 500. */
  #keepForLater(batch: Batch): void {
    this.#batch.add(batch);
    for (const [job, endpoint] of batch.jobs) {
      if (this.#keptResult.has(job)) continue;
      this.#batch.jobs.delete(job);
      endpoint.giveUp(job);
    }
  }

  /** Writes the batch in one transaction, and returns the error where that failed and wrote nothing. */
  #failureOf(batch: Batch): unknown {
    const { jobs } = batch;
    try {
      // The end of an earlier transaction may have failed.
      this.#rollBack();
      this.#store.run("begin");
      this.#writeBatch(batch);
      this.#store.run("commit");
      for (const job of jobs.keys()) this.#keptResult.set(job, resultOf(job));
      return undefined;
    } catch (error) {
      try {
        this.#rollBack();
      } catch {
        // The next write tries the rollback again; the first error is the cause that counts.
      }
      return error;
    }
  }

  #rollBack(): void {
    if (this.#store.isInTransaction) this.#store.run("rollBack");
  }

  #writeBatch({ facts, endpoints, removed, jobs, deliveries }: Batch): void {
    const store = this.#store;
    for (const [name, value] of facts) store.run("setFact", name, value);
    for (const endpoint of endpoints) {
      store.run("putEndpoint", endpoint.id, endpointFacts(endpoint));
    }
    for (const [job, endpoint] of jobs) this.#writeJob(endpoint, job);
    for (const [delivery, endpoint] of deliveries) {
      const { id, job, isOver } = delivery;
      if (isOver) store.run("dropDelivery", id);
      else store.run("putDelivery", id, endpoint.id, job.id, deliveryFacts(delivery));
    }
    for (const { id } of removed) {
      for (const drop of ["dropDeliveriesOf", "dropJobsOf", "dropEndpoint"] as const) {
        store.run(drop, id);
      }
    }
  }

  #writeJob(endpoint: Endpoint, job: Job): void {
    const store = this.#store;
    const kept = this.#keptResult.get(job);
    if (job.isDeleted) {
      if (kept !== undefined) store.run("dropJob", endpoint.id, job.id);
    } else if (kept === undefined) {
      const submission = JSON.stringify(job.submission);
      store.run("addJob", endpoint.id, job.id, submission, jobFacts(job), jobResult(job));
    } else if (kept === resultOf(job)) {
      store.run("setJob", jobFacts(job), endpoint.id, job.id);
    } else {
      store.run("setResult", jobFacts(job), jobResult(job), endpoint.id, job.id);
    }
  }

  #loadJobs({ id, counts, sequence }: StoredEndpoint): FormerEndpoint {
    // One at a time: all rows together take more memory than the jobs that are made of them.
    const jobs = this.#ids("jobIds", id).map((jobId) => this.#loadJob(id, jobId));
    const byId = new Map(jobs.map(({ job }) => [job.id, job]));
    for (const { job } of jobs) this.#keptResult.set(job, resultOf(job));
    const deliveries = this.#ids("deliveryIds", id).flatMap((deliveryId) =>
      this.#loadDelivery(deliveryId, byId),
    );
    return { counts, sequence, jobs, deliveries };
  }

  #ids(query: "jobIds" | "deliveryIds", endpointId: string): readonly string[] {
    return this.#store.all(query, endpointId).map((row) => read(idRow, row).id);
  }

  #loadJob(endpointId: string, jobId: string): FormerJob {
    const readRow = () => read(jobRow, this.#store.all("job", endpointId, jobId)[0]);
    const row = readRow();
    const former = readJob(row);
    leaveJobInFile(former.job, row, () => readJob(readRow()).job);
    return former;
  }

  #loadDelivery(deliveryId: string, jobs: ReadonlyMap<string, Job>): readonly Delivery[] {
    const readRow = () => read(deliveryRow, this.#store.all("delivery", deliveryId)[0]);
    const row = readRow();
    const job = jobs.get(row.job);
    if (job === undefined) return [];
    const delivery = readDelivery(row, job);
    leaveDeliveryInFile(delivery, row, () => readDelivery(readRow(), job));
    return [delivery];
  }
}

/** The attempt whose result a job has; 0 while it has none. */
function resultOf({ status, attempt }: Job): number {
  return isFinal(status) ? attempt : 0;
}
