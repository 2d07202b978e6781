import {
  Inconclusive,
  waitForEnd,
  inputs,
  startJob,
  stateOf,
  submitOperations,
  submitJob,
  submitJobBy,
} from "../../harness/index.ts";
import type { Check, StartedJob, CheckContext } from "../../harness/index.ts";
import { StreamReads } from "./chunks.ts";

/** Between two chunks of a job that is read while it runs. */
const stepMs = 2000;

/** Checks of which chunks come, and when (STRM-02, STRM-04). */
export const streamOrderChecks: readonly Check[] = [
  ...submitOperations.map((by): Check => ({
    name: `stream/every-chunk-of-a-finished-${by}-job`,
    title: `the stream of a finished ${by} job gives every chunk, in order and once`,
    covers: ["STRM-02"], // Every chunk the handler yields arrives, in order and once.
    run: async (context) => {
      for (const count of [0, 1, 2, 7, 300]) {
        const job = await submitJobBy(context, inputs.stream(count, 0), { by });
        await waitForEnd(context, job);
        await expectChunks(context, job.id, { count, at: `${by}, ${String(count)} chunks` });
      }
    },
  })),
  {
    name: "stream/every-chunk-while-it-runs",
    title: "reads while a job runs and after it together give every chunk, in order and once",
    covers: ["STRM-02"], // Every chunk the handler yields arrives, in order and once.
    realTimeMs: 8000,
    run: async (context) => {
      const { api, time, expect } = context;
      const count = 6;
      const job = await startJob(context, inputs.stream(count, 400));
      const reads = new StreamReads(api, job.id);
      for (let step = 0; step <= count; step += 1) {
        // One read between two chunks, one that finds two at once, one that finds none.
        await reads.read();
        await time.pass(step % 3 === 0 ? 800 : 200);
      }
      await waitForEnd(context, job, count * 400);
      await reads.readAll(time, count);
      expectTold({ expect, reads }, { count, at: "reads while it ran and after" });
    },
  },
  {
    name: "stream/jobs-side-by-side",
    title: "the streams of jobs that run at the same time do not mix",
    covers: ["STRM-02"], // Every chunk the handler yields arrives, in order and once.
    realTimeMs: 8000,
    endpoint: { workers: 3 },
    run: async (context) => {
      const { api, time, expect } = context;
      const jobs = [];
      for (const count of [3, 5, 9]) {
        const job = await submitJob(context, inputs.stream(count, 200));
        jobs.push({ count, job, reads: new StreamReads(api, job.id) });
      }
      await time.pass(700);
      await Promise.all(jobs.map(async ({ reads }) => reads.read()));
      for (const { job, count, reads } of jobs) {
        await waitForEnd(context, job, 3400);
        await reads.readAll(time, count);
        expectTold({ expect, reads }, { count, at: `one of three jobs, ${String(count)} chunks` });
      }
    },
  },
  {
    name: "stream/chunks-of-a-job-that-timed-out",
    title: "what a job yielded before it was terminated can still be read",
    covers: ["STRM-02"], // Every chunk the handler yields arrives, in order and once.
    realTimeMs: 12_000,
    run: async (context) => {
      const { api, time, expect } = context;
      const extra = { policy: { executionTimeout: 5000 } };
      const job = await startJob(context, inputs.stream(4, 2000), { extra });
      await waitForEnd(context, job, 5001);
      const reads = new StreamReads(api, job.id);
      await reads.readAll(time, 2);
      expectTold({ expect, reads }, { count: 2, at: "chunks after 2000 and 4000 ms of 5000 ms" });
    },
  },
  {
    name: "stream/chunks-in-progress",
    title: "a chunk can be read while its job is still in progress",
    covers: ["STRM-04"], // Chunks are readable while the job is still in progress.
    realTimeMs: 8000,
    run: async (context) => {
      const job = await startJob(context, inputs.stream(3, stepMs));
      await expectReadable(context, job, 2);
      await context.api.cancel(job.id);
    },
  },
  {
    name: "stream/text-in-progress",
    title: "text that a runsync job yields can be read while the job is still in progress",
    covers: ["STRM-04"], // Chunks are readable while the job is still in progress.
    realTimeMs: 8000,
    run: async (context) => {
      const job = await startJob(context, inputs.text(60, 3, stepMs), { by: "runsync" });
      await expectReadable(context, job, 1);
      await context.api.cancel(job.id);
    },
  },
];

/** Records a difference unless chunk after chunk can be read while the job is in progress. */
async function expectReadable(
  { api, time, expect }: CheckContext,
  job: StartedJob,
  chunkCount: number,
): Promise<void> {
  const reads = new StreamReads(api, job.id);
  for (let count = 1; count <= chunkCount; count += 1) {
    // A real target has a moment to pass the chunk on, but not until the next one.
    const ageMs = count * stepMs + time.choose({ virtual: 0, real: stepMs / 4 });
    await time.after(job.startedAt, ageMs, async () => reads.read());
    const state = stateOf(await api.status(job.id));
    if (state !== "IN_PROGRESS") throw new Inconclusive(`a job that still streams is ${state}`);
    const got = reads.unreadable ?? `${String(reads.latest.length)} chunks`;
    const holds = reads.unreadable === undefined && reads.latest.length >= count;
    const expected = `${String(count)} chunks`;
    expect.that(holds, { at: "stream of a job in progress", expected, got });
  }
}

interface Expected {
  readonly count: number;
  readonly at: string;
}

/** Reads a stream to its end and records a difference unless it gave the chunks 0 … count − 1. */
async function expectChunks(
  { api, time, expect }: CheckContext,
  id: string,
  is: Expected,
): Promise<void> {
  const reads = new StreamReads(api, id);
  await reads.readAll(time, is.count);
  expectTold({ expect, reads }, is);
}

function expectTold(
  { expect, reads }: { readonly expect: CheckContext["expect"]; readonly reads: StreamReads },
  { count, at }: Expected,
): void {
  const chunks = Array.from({ length: count }, (_, index) => ({ index }));
  const got = reads.unreadable ?? JSON.stringify(reads.latest).slice(0, 200);
  const expected = `chunks numbered from 0, ${String(count)} in all, in order and once`;
  expect.that(reads.unreadable === undefined && reads.tell(chunks), { at, expected, got });
}
