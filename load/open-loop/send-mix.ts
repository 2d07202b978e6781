import { isSubmission } from "../../openapi/operations.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import { longJobMs } from "../../harness/inputs/jobs.ts";
import { seededRandom } from "../../harness/random.ts";
import type { BookedRun } from "../open-loop/booked-run.ts";
import type { BookedJob } from "../open-loop/job-book.ts";
import { mixJobs, mixOperations } from "./mix.ts";
import type { Mix, MixJob, MixOperation } from "./mix.ts";
import { plannedMoments } from "../open-loop/moments.ts";
import type { Slot } from "../open-loop/open-loop.ts";

interface SentMix<Role extends string> {
  readonly mix: Mix;
  readonly durationMs: number;
  /** When it begins, in milliseconds of the monotonic clock. */
  readonly startMs: number;
  /** It is sent to the first endpoint. */
  readonly run: Pick<BookedRun<Role>, "first" | "jobs">;
  readonly role: Role;
  readonly seed: number;
  /** Jobs that have failed, so that they can be retried; none: nothing is. */
  readonly failed: readonly BookedJob<Role>[];
  /** A job whose chunks are read; absent: the mix's own jobs are asked for theirs. */
  readonly streamed?: BookedJob<Role> | undefined;
}

/** A mix as slots of an open loop. */
export function slotsOf<Role extends string>(options: SentMix<Role>): readonly Slot[] {
  const { mix, durationMs, startMs, seed } = options;
  const sender = new MixSender(options);
  return mixOperations.flatMap((operation) => {
    const perSecond = mix.operations[operation] ?? 0;
    if (perSecond <= 0) return [];
    const { arrival } = mix;
    const random = seededRandom(seed, operation);
    const moments = plannedMoments({ perSecond, durationMs, arrival, random });
    return moments.map((ms) => ({
      atMs: startMs + ms,
      begin: async (plannedMs: number) => sender.send(operation, plannedMs),
    }));
  });
}

/** Only the latest jobs are read, as a client does that waits for its own. */
const latestMax = 50;

class MixSender<Role extends string> {
  readonly #options: SentMix<Role>;
  readonly #random: () => number;
  readonly #latest: BookedJob<Role>[] = [];
  #retried = 0;
  #submitted = 0;

  constructor(options: SentMix<Role>) {
    this.#options = options;
    this.#random = seededRandom(options.seed, "jobs");
  }

  async send(operation: MixOperation, plannedMs: number): Promise<void> {
    const { run, failed, streamed } = this.#options;
    const client = run.first;
    if (isSubmission(operation)) {
      await this.#submit(operation, plannedMs);
    } else if (operation === "cancel") {
      await this.#cancel(plannedMs);
    } else if (operation === "health") {
      await client.health(plannedMs);
    } else if (operation === "retry") {
      const job = failed[this.#retried % Math.max(1, failed.length)];
      this.#retried += 1;
      if (job !== undefined) await client.retry(job, plannedMs);
    } else {
      const job = (operation === "stream" ? streamed : undefined) ?? this.#oneOfLatest();
      if (job !== undefined) await client[operation](job, plannedMs);
    }
  }

  async #submit(operation: "run" | "runsync", plannedMs: number): Promise<void> {
    const { run, role } = this.#options;
    const job = await run.first.submit(operation, { role, ...this.#next(), plannedMs });
    if (job.id === undefined || operation === "runsync") return;
    this.#latest.push(job);
    if (this.#latest.length > latestMax) this.#latest.shift();
  }

  /** A job of its own is cancelled as soon as it is accepted: from then on the cancel is due. */
  async #cancel(plannedMs: number): Promise<void> {
    const { run, role } = this.#options;
    const input = run.jobs.slow(longJobMs);
    const job = await run.first.submit("run", { role, input, plannedMs });
    if (job.id !== undefined) await run.first.cancel(job);
  }

  #oneOfLatest(): BookedJob<Role> | undefined {
    return this.#latest[Math.floor(this.#random() * this.#latest.length)];
  }

  #next(): { readonly input: JobInput; readonly streams: boolean } {
    this.#submitted += 1;
    const { mix, run } = this.#options;
    const { jobs } = run;
    const value = this.#submitted;
    const kinds: Readonly<Record<MixJob, () => JobInput>> = {
      quick: () => (value % 2 === 0 ? jobs.quick(value) : jobs.short(shortMs, value)),
      slow: () => jobs.slow(slowMs, value),
      failing: () => jobs.failing(`mix ${value}`),
      streaming: () => jobs.streaming(chunks, chunkMs),
    };
    const kind = kindAt(mix.jobs, this.#random());
    return { input: kinds[kind](), streams: kind === "streaming" };
  }
}

const shortMs = 300;
const slowMs = 5_000;
const chunks = 5;
const chunkMs = 50;

/** The kind of job at a place from 0 to below 1 in the proportions. */
function kindAt(proportions: Mix["jobs"], place: number): MixJob {
  const kinds = mixJobs.map((kind) => [kind, proportions[kind] ?? 0] as const);
  const all = kinds.reduce((sum, [, share]) => sum + share, 0);
  let left = place * all;
  for (const [kind, share] of kinds) {
    left -= share;
    if (left < 0) return kind;
  }
  return "quick";
}
