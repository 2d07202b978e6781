import type { Exchange } from "../../client/exchange.ts";
import {
  runToEnd,
  runSyncShortly,
  startJob,
  submitOperationsOf,
  submitJobBy,
} from "../../harness/jobs/submit.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { waitForEnd } from "../../harness/jobs/fixtures.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { statusAfter } from "../../harness/jobs/job-state.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { s3ConfigOf, S3Secret } from "./config.ts";

/** Checks that no answer shows s3Config or its secret: every operation, every state (S3CF-02). */
export const s3SecrecyChecks: readonly Check[] = [
  {
    name: "s3/secret-kept-by-submissions",
    title:
      "run and runsync answer without s3Config, whether they accept the submission or refuse it",
    covers: ["S3CF-02"],
    needs: ["quick"],
    realTimeMs: 6000,
    run: async (context) => {
      for (const operation of submitOperationsOf(context)) {
        const { s3Config, s3Secret, extra } = sceneOf(context);
        const { api } = context;
        const submit = async (body: unknown): Promise<Exchange> => {
          if (operation === "run") return api.run(body);
          return (await runSyncShortly(context, body)).exchange;
        };
        for (const input of plainInputs(context)) {
          s3Secret.expectNotIn(await submit({ input, ...extra }), `with ${JSON.stringify(input)}`);
        }

        const wrong = { ...s3Config, bucketName: 1 };
        const input = context.jobs.quick("s3");
        const refused = [
          { input, s3Config: wrong },
          { input: "no object", ...extra },
          { ...extra },
          { input, ...extra, policy: { ttl: 1 } },
          { input, ...extra, webhook: "no url" },
          { input, s3Config: [s3Config] },
          { input, s3Config: { ...s3Config, accessSecret: [s3Config.accessSecret] } },
        ];
        for (const body of refused) {
          s3Secret.expectNotIn(
            await submit(body),
            `of a refused body, ${Object.keys(body).join("+")}`,
          );
        }
        // A parser's own message often quotes what it could not read.
        const text = JSON.stringify({ input, ...extra });
        for (const body of [text.slice(0, -1), `${text}}`]) {
          s3Secret.expectNotIn(await submit(body), "of a body that is not JSON");
        }
        if (context.offers("requests"))
          s3Secret.expectNotIn(await api.requests(), "after submissions");
        if (context.offers("openai"))
          s3Secret.expectNotIn(await api.openai({ model: "any", messages: [] }), "");
      }
    },
  },
  {
    name: "s3/secret-kept-in-final-states",
    title: "no answer about a job that completed or failed shows its s3Config",
    covers: ["S3CF-02"],
    needs: ["quick"],
    run: async (context) => {
      const scene = sceneOf(context);
      for (const by of submitOperationsOf(context)) {
        for (const input of endingInputs(context)) {
          const job = await runToEnd(context, input, { extra: scene.extra, by });
          const { status } = job.record;
          await expectSecretInNoRead(scene, job, `${by}, ${status}`);
          scene.s3Secret.expectNotIn(await context.api.cancel(job.id), `of a ${status} job`);
          scene.s3Secret.expectNotIn(await context.api.retry(job.id), `of a ${status} job`);
          await context.time.settle();
          await expectSecretInNoRead(scene, job, `${by}, ${status}, after cancel and retry`);
        }
      }
    },
  },
  {
    name: "s3/secret-kept-while-queued",
    title: "no answer about a job that waits, is cancelled or is purged shows its s3Config",
    covers: ["S3CF-02"],
    needs: ["quick", "slow"],
    slowMs: 5000,
    stalls: true,
    purges: 1,
    run: async (context) => {
      const scene = sceneOf(context);
      const { s3Secret, extra } = scene;
      await context.workers.whileStalled(async () => {
        const cancelled = await submitJobBy(context, context.jobs.quick("s3"), { extra });
        const purged = await submitJobBy(context, context.jobs.quick("s3"), { extra });
        await expectSecretInNoRead(scene, cancelled, "IN_QUEUE");
        s3Secret.expectNotIn(await context.api.retry(cancelled.id), "of a waiting job");
        s3Secret.expectNotIn(await context.api.cancel(cancelled.id), "of a waiting job");
        await expectSecretInNoRead(scene, cancelled, "CANCELLED");
        s3Secret.expectNotIn(await context.api.retry(cancelled.id), "of a cancelled job");
        s3Secret.expectNotIn(await context.api.cancel(cancelled.id), "of a cancelled job");
        s3Secret.expectNotIn(await context.endpoint.purge(), "with a waiting job");
        await expectSecretInNoRead(scene, purged, "purged");
      });
    },
  },
  {
    name: "s3/secret-kept-in-progress",
    title: "no answer about a job in progress, cancelled there or timed out shows its s3Config",
    covers: ["S3CF-02"],
    needs: ["slow"],
    slowMs: 6500,
    realTimeMs: 14_000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const scene = sceneOf(context);
      const { s3Secret, extra } = scene;
      const { api, time } = context;
      const job = await startJob(context, context.jobs.slowYielding(200, 100), { extra });
      const hook = context.offers("webhook") ? (await context.receiver()).hook() : undefined;
      const hooked = hook === undefined ? {} : { webhook: hook.url };
      const timed = { ...extra, ...hooked, policy: { executionTimeout: 5000, ttl: 60_000 } };
      const slow = await startJob(context, context.jobs.slowYielding(100, 1000), { extra: timed });
      await time.pass(500);
      await expectSecretInNoRead(scene, job, "IN_PROGRESS");
      s3Secret.expectNotIn(await api.status(job.id, { ttl: 60_000 }), "that sets a ttl");
      s3Secret.expectNotIn(await api.retry(job.id), "of a job in progress");
      s3Secret.expectNotIn(await api.cancel(job.id), "of a job in progress");
      await expectSecretInNoRead(scene, job, "CANCELLED");

      const { record } = await waitForEnd(context, slow, 5000);
      await expectSecretInNoRead(scene, slow, record.status);
      await time.pass(time.choose({ virtual: 0, real: 500 }));
      for (const { text } of hook?.attempts ?? []) {
        s3Secret.expectNotInText(text, `webhook, ${record.status}`);
      }
      s3Secret.expectNotIn(await api.retry(slow.id), `of a ${record.status} job`);
      await expectSecretInNoRead(scene, slow, "retried");
      s3Secret.expectNotIn(await api.cancel(slow.id), "of a retried job");
    },
  },
  {
    name: "s3/secret-kept-after-expiry",
    title:
      "no answer about a job whose ttl ran out, or whose result was kept for its time, shows its s3Config",
    covers: ["S3CF-02"],
    needs: ["quick", "slow"],
    slowMs: 11500,
    realTimeMs: 14_000,
    run: async (context) => {
      const scene = sceneOf(context);
      const { s3Secret } = scene;
      const extra = { ...scene.extra, policy: { ttl: 10_000 } };
      const job = await startJob(context, context.jobs.slow(20_000), { extra });
      await statusAfter(context, job.id, job.submittedAt, 10_000);
      await expectSecretInNoRead(scene, job, "expired");
      s3Secret.expectNotIn(await context.api.cancel(job.id), "of an expired job");
      const { id } = await submitJobBy(context, context.jobs.quick("s3"), { extra: scene.extra });
      // On a real clock nobody waits for half an hour to see what is left of a result.
      await context.time.pass(context.time.choose({ virtual: 30 * 60_000 + 10_000, real: 0 }));
      s3Secret.expectNotIn(await context.api.status(id), "of a job whose retention may be over");
    },
  },
  {
    name: "s3/secret-kept-in-webhooks",
    title:
      "a webhook's body shows neither s3Config nor its secret, on no attempt and after a retry",
    covers: ["S3CF-02"],
    needs: ["quick", "webhook"],
    realTimeMs: 30_000,
    run: async (context) => {
      const { extra, s3Secret } = sceneOf(context);
      const receiver = await context.receiver();
      const hooks = [];
      const ended = [];
      for (const by of submitOperationsOf(context)) {
        const { jobs, offers } = context;
        const own = jobs.exact ? inputs.whoami() : jobs.quick("s3");
        for (const input of [own, ...(offers("failing") ? [jobs.failingFirst(1, "s3")] : [])]) {
          const hook = receiver.hook(500, 500, 200);
          hooks.push(hook);
          const options = { extra: { ...extra, webhook: hook.url }, by };
          ended.push(await runToEnd(context, input, options));
        }
      }
      await context.time.settle();
      // Three attempts, 10 s apart (HOOK-04, HOOK-05).
      await context.time.pass(context.time.choose({ virtual: 21_000, real: 24_000 }));
      if (hooks.every(({ attempts }) => attempts.length === 0)) {
        throw new Inconclusive("no webhook was called", ["HOOK-01"]);
      }
      // What a later attempt would have shown is not known where it has not come.
      const missing = hooks.find(({ attempts }) => attempts.length > 0 && attempts.length < 3);
      const came = missing?.attempts.length;
      for (const job of ended) {
        s3Secret.expectNotIn(await context.api.status(job.id), "after failed calls of the webhook");
        if (job.record.status !== "FAILED") continue;
        s3Secret.expectNotIn(await context.api.retry(job.id), "after failed calls of the webhook");
        await waitForEnd(context, job);
      }
      await context.time.pass(context.time.choose({ virtual: 0, real: 500 }));
      for (const { attempts } of hooks) {
        for (const [at, { text, headers }] of attempts.entries()) {
          s3Secret.expectNotInText(text, `webhook, attempt ${at + 1}`);
          s3Secret.expectNotInText(JSON.stringify(headers), `webhook headers, attempt ${at + 1}`);
        }
      }
      if (came !== undefined) {
        throw new Inconclusive(`of 3 calls of a webhook ${came} came`);
      }
    },
  },
];

/** One input for each kind of job that the target offers. */
function plainInputs({ jobs, offers }: CheckContext): readonly JobInput[] {
  return [
    jobs.quick("s3"),
    ...(offers("failing") ? [jobs.failing("for s3")] : []),
    ...(offers("slow") ? [jobs.slow(2000)] : []),
  ];
}

/** One input for each kind of job that ends soon. */
function endingInputs({ jobs, offers }: CheckContext): readonly JobInput[] {
  return [
    jobs.exact ? inputs.whoami() : jobs.quick("s3"),
    ...(offers("streaming") ? [jobs.streaming(2, 0)] : []),
    // A second attempt completes where jobs are exact.
    ...(offers("failing") ? [jobs.failingFirst(1, "for s3")] : []),
  ];
}

/** What a check needs to submit jobs with a secret and to look for that secret. */
type Scene = ReturnType<typeof sceneOf>;

function sceneOf(context: CheckContext) {
  const s3Config = s3ConfigOf(context.random);
  return {
    context,
    s3Config,
    extra: { s3Config },
    s3Secret: new S3Secret(context.expect, s3Config.accessSecret),
  };
}

/** Looks for the secret in the answers of every operation that reads, while a job is in some state. */
async function expectSecretInNoRead(
  { context: { api }, s3Secret }: Scene,
  { id }: SubmittedJob,
  state: string,
): Promise<void> {
  s3Secret.expectNotIn(await api.status(id), `of a job, ${state}`);
  s3Secret.expectNotIn(await api.stream(id), `of a job, ${state}`);
  s3Secret.expectNotIn(await api.health(), `with a job, ${state}`);
}
