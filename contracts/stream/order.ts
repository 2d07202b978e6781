import { runToTimeout } from "../../harness/jobs/endings.ts";
import { runToEnd, startJob, submitOperations } from "../../harness/jobs/submit.ts";
import { Inconclusive, Unsupported } from "../../harness/outcome.ts";
import { waitForEnd, readJob, submitJob } from "../../harness/jobs/fixtures.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { stateOf } from "../../harness/record.ts";
import type { Check } from "../../harness/check.ts";
import type { StartedJob } from "../../harness/jobs/submit.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { StreamReads, expectStreamGives } from "./chunks.ts";

/** Between two chunks of a job that is read while it runs. */
const stepMs = 2000;

/** Checks of which chunks come, and when (STRM-02, STRM-04). */
export const streamOrderChecks: readonly Check[] = [
  ...submitOperations.map((by): Check => ({
    name: `stream/every-chunk-of-a-finished-${by}-job`,
    title: `the stream of a finished ${by} job gives every chunk, in order and once, and takes nothing from its record`,
    covers: ["STRM-02", "STAT-02"],
    needs: ["streaming"],
    run: async (context) => {
      const { api, jobs, expect } = context;
      for (const count of jobs.eachOf([7, 0, 1, 2, 300])) {
        const { id, record } = await runToEnd(context, jobs.streaming(count, 0), { by });
        const at = `${by}, ${count} chunks`;
        await expectStreamGives(context, new StreamReads(api, id), { count, record, at });
        if (count !== 7) continue;
        const { output } = await readJob(context, id);
        expect.of("STAT-02").equal(output, record["output"], `output, ${at}, once read`);
      }
    },
  })),
  {
    name: "stream/every-chunk-while-it-runs",
    title: "reads while a job runs and after it together give every chunk, in order and once",
    covers: ["STRM-02"],
    needs: ["streaming"],
    realTimeMs: 8000,
    run: async (context) => {
      const { api, time, jobs } = context;
      const count = 6;
      const job = await startJob(context, jobs.streaming(count, 400));
      const reads = new StreamReads(api, job.id);
      for (let step = 0; step <= count; step += 1) {
        // Neither a retry, which is refused, nor a ttl that is long enough changes anything.
        if (step === 1) await api.retry(job.id);
        if (step === 4) await api.status(job.id, { ttl: 3_600_000 });
        // The pauses differ, so that a read finds one new chunk, two at once, or none.
        await reads.read();
        await time.pass(step % 3 === 0 ? 800 : 200);
      }
      const { record } = await waitForEnd(context, job, count * 400);
      await expectStreamGives(context, reads, {
        count,
        record,
        at: "reads while it ran and after",
      });
    },
  },
  {
    name: "stream/untouched-by-what-comes-too-late",
    title: "a cancel and a retry of a completed job take no chunk from its stream, and repeat none",
    covers: ["STRM-02"],
    needs: ["streaming"],
    run: async (context) => {
      const { api, time, jobs } = context;
      const count = 3;
      const input = jobs.streaming(count, 0);
      const ended = [];
      for (const at of ["read before", "not read before"]) {
        const job = await runToEnd(context, input);
        ended.push({
          ...job,
          at: `${at} a late cancel and retry`,
          reads: new StreamReads(api, job.id),
        });
      }
      await ended[0]?.reads.readAll(time, jobs.chunksAtLeast(count));
      for (const { id } of ended) {
        await api.cancel(id);
        await api.retry(id);
      }
      for (const { reads, record, at } of ended) {
        await expectStreamGives(context, reads, { count, record, at });
      }
    },
  },
  {
    name: "stream/jobs-side-by-side",
    title: "the streams of jobs that run at the same time do not mix",
    covers: ["STRM-02"],
    needs: ["streaming"],
    realTimeMs: 8000,
    endpoint: { workers: 3 },
    run: async (context) => {
      const { api, time, jobs } = context;
      const submitted = [];
      for (const count of [3, 5, 9]) {
        const job = await submitJob(context, jobs.streaming(count, 200));
        submitted.push({ count, job, reads: new StreamReads(api, job.id) });
      }
      await time.pass(700);
      await Promise.all(submitted.map(async ({ reads }) => reads.read()));
      for (const { job, count, reads } of submitted) {
        const { record } = await waitForEnd(context, job, 3400);
        const at = `one of three jobs, ${count} chunks`;
        await expectStreamGives(context, reads, { count, record, at });
      }
    },
  },
  {
    name: "stream/chunks-of-a-job-that-timed-out",
    title: "what a job yielded before it was terminated can still be read",
    covers: ["STRM-02"],
    realTimeMs: 12_000,
    run: async (context) => {
      const { id, record } = await runToTimeout(context, context.jobs.streaming(4, 2000));
      const reads = new StreamReads(context.api, id);
      const at = "chunks after 2000 and 4000 ms of 5000 ms";
      await expectStreamGives(context, reads, { count: 2, record, at });
    },
  },
  {
    name: "stream/chunks-in-progress",
    title: "a chunk can be read while its job is still in progress",
    covers: ["STRM-04"],
    needs: ["streaming"],
    realTimeMs: 8000,
    run: async (context) => {
      const job = await startJob(context, context.jobs.streaming(3, stepMs));
      if (context.jobs.exact) await expectReadable(context, job, 2);
      else await expectSomeReadable(context, job);
      await context.api.cancel(job.id);
    },
  },
  {
    name: "stream/text-in-progress",
    title: "text that a runsync job yields can be read while the job is still in progress",
    covers: ["STRM-04"],
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
    // On a real clock the target has a moment to pass the chunk on, but less than until the next chunk.
    const ageMs = count * stepMs + time.choose({ virtual: 0, real: stepMs / 4 });
    await time.after(job.startedAt, ageMs, async () => reads.read());
    const state = stateOf(await api.status(job.id));
    if (state !== "IN_PROGRESS")
      throw new Inconclusive(`the job that should still be streaming is ${state}`);
    const got = reads.unreadable ?? `${reads.latest.length} chunks`;
    const holds = reads.unreadable === undefined && reads.latest.length >= count;
    const expected = `${count} chunks`;
    expect.that(holds, { at: "stream of a job in progress", expected, got });
  }
}

/**
 * Passes where a chunk of a job from a jobs file is read while the job is in progress. When its chunks come is not
 * known, so that it shows nothing if none comes before its end. @throws Unsupported in that case
 */
async function expectSomeReadable(
  { api, time, expect }: CheckContext,
  job: StartedJob,
): Promise<void> {
  const reads = new StreamReads(api, job.id);
  const look = async (): Promise<string> => {
    await reads.read();
    return stateOf(await api.status(job.id));
  };
  const isDone = (state: string): boolean => reads.latest.length > 0 || state !== "IN_PROGRESS";
  const state = await time.until(look, isDone);
  if (state !== "IN_PROGRESS" || reads.latest.length === 0) {
    throw new Unsupported(
      "no chunk came before the job's end: a streaming job whose chunks come a second apart would show it",
    );
  }
  expect.that(true, { at: "stream of a job in progress", expected: "a chunk", got: "" });
}
