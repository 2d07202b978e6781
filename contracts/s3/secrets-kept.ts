import type { Exchange } from "../../client/index.ts";
import {
  Inconclusive,
  runSyncShortly,
  waitForEnd,
  inputs,
  startJob,
  submitOperations,
  submitJobBy,
} from "../../harness/index.ts";
import type { Check, JobInput, SubmittedJob, CheckContext } from "../../harness/index.ts";
import { s3ConfigOf } from "./config.ts";
import type { S3Config } from "./config.ts";
import { Secrecy } from "./secrecy.ts";

/** What a check needs to submit jobs with a secret and to look for that secret. */
interface Scene {
  readonly context: CheckContext;
  readonly s3Config: S3Config;
  readonly extra: { readonly s3Config: S3Config };
  readonly secrecy: Secrecy;
}

/** Checks that no answer shows s3Config or its secret: every operation, every state (S3CF-02). */
export const s3SecrecyChecks: readonly Check[] = [
  {
    name: "s3/secret-kept-by-submissions",
    title:
      "run and runsync answer without s3Config, whether they accept the submission or refuse it",
    covers: ["S3CF-02"], // No response of any operation contains s3Config or one of its secrets; nor does a webhook's body.
    needs: ["quick"],
    realTimeMs: 6000,
    run: async (context) => {
      for (const operation of submitOperations) {
        const { s3Config, secrecy } = sceneOf(context);
        const { api } = context;
        const extra = { s3Config };
        const submit = async (body: unknown): Promise<Exchange> => {
          if (operation === "run") return api.run(body);
          return (await runSyncShortly(context, body)).exchange;
        };
        for (const input of plainInputs(context)) {
          secrecy.kept(await submit({ input, ...extra }), `with ${JSON.stringify(input)}`);
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
        ];
        for (const body of refused) {
          secrecy.kept(await submit(body), `of a refused body, ${Object.keys(body).join("+")}`);
        }
        if (context.offers("requests")) secrecy.kept(await api.requests(), "after submissions");
        if (context.offers("openai"))
          secrecy.kept(await api.openai({ model: "any", messages: [] }), "");
      }
    },
  },
  {
    name: "s3/secret-kept-in-final-states",
    title: "no answer about a job that completed or failed shows its s3Config",
    covers: ["S3CF-02"], // No response of any operation contains s3Config or one of its secrets; nor does a webhook's body.
    needs: ["quick"],
    run: async (context) => {
      const scene = sceneOf(context);
      for (const by of submitOperations) {
        for (const input of endingInputs(context)) {
          const job = await submitJobBy(context, input, { extra: scene.extra, by });
          const { record } = await waitForEnd(context, job);
          await expectKept(scene, job, `${by}, ${record.status}`);
          scene.secrecy.kept(await context.api.cancel(job.id), `of a ${record.status} job`);
          scene.secrecy.kept(await context.api.retry(job.id), `of a ${record.status} job`);
          await expectKept(scene, job, `${by}, ${record.status}, after cancel and retry`);
        }
      }
    },
  },
  {
    name: "s3/secret-kept-while-queued",
    title: "no answer about a job that waits, is cancelled or is purged shows its s3Config",
    covers: ["S3CF-02"], // No response of any operation contains s3Config or one of its secrets; nor does a webhook's body.
    needs: ["quick", "slow"],
    slowMs: 5000,
    stalls: true,
    purges: 1,
    run: async (context) => {
      const scene = sceneOf(context);
      const { secrecy, extra } = scene;
      await context.workers.whileStalled(async () => {
        const cancelled = await submitJobBy(context, context.jobs.quick("s3"), { extra });
        const purged = await submitJobBy(context, context.jobs.quick("s3"), { extra });
        await expectKept(scene, cancelled, "IN_QUEUE");
        secrecy.kept(await context.api.retry(cancelled.id), "of a waiting job");
        secrecy.kept(await context.api.cancel(cancelled.id), "of a waiting job");
        await expectKept(scene, cancelled, "CANCELLED");
        secrecy.kept(await context.api.retry(cancelled.id), "of a cancelled job");
        secrecy.kept(await context.api.cancel(cancelled.id), "of a cancelled job");
        secrecy.kept(await context.endpoint.purge(), "with a waiting job");
        await expectKept(scene, purged, "purged");
      });
    },
  },
  {
    name: "s3/secret-kept-in-progress",
    title: "no answer about a job in progress, cancelled there or timed out shows its s3Config",
    covers: ["S3CF-02"], // No response of any operation contains s3Config or one of its secrets; nor does a webhook's body.
    needs: ["slow"],
    slowMs: 6500,
    realTimeMs: 14_000,
    endpoint: { workers: 2 },
    run: async (context) => {
      const scene = sceneOf(context);
      const { secrecy, extra } = scene;
      const { api, time } = context;
      const job = await startJob(context, context.jobs.slowYielding(200, 100), { extra });
      const timed = { ...extra, policy: { executionTimeout: 5000, ttl: 60_000 } };
      const slow = await startJob(context, context.jobs.slowYielding(100, 1000), { extra: timed });
      await time.pass(500);
      await expectKept(scene, job, "IN_PROGRESS");
      secrecy.kept(await api.retry(job.id), "of a job in progress");
      secrecy.kept(await api.cancel(job.id), "of a job in progress");
      await expectKept(scene, job, "CANCELLED");

      const { record } = await waitForEnd(context, slow, 5000);
      await expectKept(scene, slow, record.status);
      secrecy.kept(await api.retry(slow.id), `of a ${record.status} job`);
      await expectKept(scene, slow, "retried");
      secrecy.kept(await api.cancel(slow.id), "of a retried job");
    },
  },
  {
    name: "s3/secret-kept-after-expiry",
    title: "no answer about a job whose ttl ran out shows its s3Config",
    covers: ["S3CF-02"], // No response of any operation contains s3Config or one of its secrets; nor does a webhook's body.
    needs: ["slow"],
    slowMs: 11500,
    realTimeMs: 14_000,
    run: async (context) => {
      const scene = sceneOf(context);
      const { secrecy } = scene;
      const extra = { ...scene.extra, policy: { ttl: 10_000 } };
      const job = await startJob(context, context.jobs.slow(20_000), { extra });
      await context.time.after(job.submittedAt, 10_000, async () => context.api.status(job.id));
      await expectKept(scene, job, "expired");
      secrecy.kept(await context.api.cancel(job.id), "of an expired job");
    },
  },
  {
    name: "s3/secret-kept-in-webhooks",
    title: "a webhook's body shows neither s3Config nor its secret, on no attempt",
    covers: ["S3CF-02"], // No response of any operation contains s3Config or one of its secrets; nor does a webhook's body.
    needs: ["quick", "webhook"],
    realTimeMs: 30_000,
    run: async (context) => {
      const { extra, secrecy } = sceneOf(context);
      const receiver = await context.receiver();
      const hooks = [];
      for (const by of submitOperations) {
        const { jobs, offers } = context;
        const own = jobs.exact ? inputs.whoami() : jobs.quick("s3");
        for (const input of [own, ...(offers("failing") ? [jobs.failing("for s3")] : [])]) {
          const hook = receiver.hook(500, 500, 200);
          hooks.push(hook);
          await waitForEnd(
            context,
            await submitJobBy(context, input, { extra: { ...extra, webhook: hook.url }, by }),
          );
        }
      }
      await context.time.settle();
      // Three attempts, 10 s apart (HOOK-04, HOOK-05).
      await context.time.pass(context.time.choose({ virtual: 21_000, real: 24_000 }));
      if (hooks.every(({ attempts }) => attempts.length === 0)) {
        throw new Inconclusive("no webhook was called");
      }
      for (const { attempts } of hooks) {
        for (const [at, { text, headers }] of attempts.entries()) {
          secrecy.keptIn(text, `webhook, attempt ${String(at + 1)}`);
          secrecy.keptIn(JSON.stringify(headers), `webhook headers, attempt ${String(at + 1)}`);
        }
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
    ...(offers("failing") ? [jobs.failing("for s3")] : []),
  ];
}

function sceneOf(context: CheckContext): Scene {
  const s3Config = s3ConfigOf(context.random);
  return {
    context,
    s3Config,
    extra: { s3Config },
    secrecy: new Secrecy(context.expect, s3Config.accessSecret),
  };
}

/** Looks for the secret in the answers of every operation that reads, while a job is in some state. */
async function expectKept(
  { context: { api }, secrecy }: Scene,
  { id }: SubmittedJob,
  state: string,
): Promise<void> {
  secrecy.kept(await api.status(id), `of a job, ${state}`);
  secrecy.kept(await api.stream(id), `of a job, ${state}`);
  secrecy.kept(await api.health(), `with a job, ${state}`);
}
