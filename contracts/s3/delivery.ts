import { createHash } from "node:crypto";

import { readRecord } from "../../harness/record.ts";
import { requireRead, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { submitOperationsOf, submitJobBy } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import { webhookFor } from "../webhook/calls.ts";
import { s3ConfigOf } from "./config.ts";
import type { S3Config } from "./config.ts";

/** Checks of what reaches the worker, and of what is refused (S3CF-01, S3CF-03). */
export const s3DeliveryChecks: readonly Check[] = [
  {
    name: "s3/config-reaches-the-worker",
    title: "all four fields of an s3Config reach the worker as they were sent",
    covers: ["S3CF-01"],
    run: async (context) => {
      const { random, time } = context;
      for (const by of submitOperationsOf(context)) {
        const plain = s3ConfigOf(random);
        const unusual: S3Config = {
          accessId: 'id with spaces & "quotes"',
          // What templates, queries and forms take for something else; a combined character; and spaces at the ends.
          accessSecret: ` ${plain.accessSecret}/+=ÄÖ漢\\"%2F$HOME \${x} {{y}} e\u0301 `,
          bucketName: "my.bucket-01",
          endpointUrl: "http://storage.example:9000/a%20b?c=d&e=f",
        };
        const long: S3Config = {
          accessId: plain.accessId.repeat(30),
          accessSecret: plain.accessSecret.repeat(30),
          bucketName: plain.bucketName,
          endpointUrl: `${plain.endpointUrl}&signature=${"0123456789".repeat(30)}`,
        };
        const closed: S3Config = {
          accessId: "0012345",
          accessSecret: plain.accessSecret,
          bucketName: "true",
          endpointUrl: "HTTPS://Storage.Example:443/",
        };
        for (const [s3Config, at] of [
          [plain, "plain values"],
          [unusual, "unusual values"],
          [long, "values longer than usual"],
          [closed, "values that could be written in another way"],
        ] as const) {
          const output = await outputOf(context, s3Config, { by });
          expectS3(context, output, { s3Config, at: `${by}, ${at}` });
        }
        // On a real clock a lowPriority job may wait for those of other checks.
        const lowPriority = time.choose({ virtual: true, real: false });
        const policy = { executionTimeout: 60_000, ttl: 600_000, lowPriority };
        const extra = { policy, ...(await webhookFor(context)) };
        const output = await outputOf(context, plain, { by, extra });
        expectS3(context, output, { s3Config: plain, at: `${by}, beside every other option` });
      }
    },
  },
  {
    name: "s3/config-stays-with-its-job",
    title:
      "each of several jobs that wait at once gets its own s3Config, and one without gets none",
    covers: ["S3CF-01"],
    stalls: true,
    run: async (context) => {
      const { workers, random, time } = context;
      const configs = [s3ConfigOf(random), undefined, s3ConfigOf(random)];
      const jobs = await workers.whileStalled(async () => {
        const waiting = [];
        for (const s3Config of configs) {
          const extra = s3Config === undefined ? {} : { s3Config };
          waiting.push({ s3Config, job: await submitJobBy(context, inputs.whoami(), { extra }) });
        }
        // Its wait is over before a worker takes it, and the others wait meanwhile.
        for (const s3Config of time.choose({ virtual: [s3ConfigOf(random)], real: [] })) {
          const submission = { extra: { s3Config }, by: "runsync" } as const;
          const job = await submitJobBy(context, inputs.whoami(), submission);
          waiting.push({ s3Config, job });
          await time.pass(1000);
        }
        return waiting;
      });
      for (const { s3Config, job } of jobs) {
        const { record } = await waitForEnd(context, job);
        expectS3(context, record["output"], { s3Config, at: "a job that waited with others" });
      }
    },
  },
  {
    name: "s3/malformed-config-refused",
    title: "an s3Config that is no object, or has a field that is no string, answers 400",
    covers: ["S3CF-03"],
    run: async (context) => {
      const { api, expect, random } = context;
      for (const operation of submitOperationsOf(context)) {
        const valid = s3ConfigOf(random);
        const refuse = async (s3Config: unknown, at: string): Promise<void> => {
          const body = { input: context.jobs.quick("s3"), s3Config };
          const options = { wait: 1000, timeoutMs: 10_000 };
          const exchange =
            operation === "run" ? await api.run(body) : await api.runsync(body, options);
          expect.status(exchange, 400, `${operation}, s3Config ${at}`);
        };
        for (const value of ["text", "", 1, 0, true, false, [], [valid]]) {
          await refuse(value, JSON.stringify(value).slice(0, 8));
        }
        // What some languages take for no value at all; once is enough.
        const empty = operation === "run" ? [] : [[], {}];
        for (const field of Object.keys(valid)) {
          for (const value of [1, 0, true, false, ["text"], { text: "text" }, ...empty]) {
            await refuse({ ...valid, [field]: value }, `${field} ${JSON.stringify(value)}`);
          }
        }
      }
    },
  },
];

/** Submits a whoami job with an s3Config, which must be accepted, and returns its output. */
async function outputOf(
  context: CheckContext,
  s3Config: S3Config,
  { by, extra = {} }: { readonly by: SubmitOperation; readonly extra?: object },
): Promise<unknown> {
  const { api, time, expect } = context;
  const body = { input: inputs.whoami(), s3Config, ...extra };
  const { exchange, at } = await time.observe(async () =>
    by === "run" ? api.run(body) : api.runsync(body, { wait: 60_000 }),
  );
  expect.accepted(exchange, `${by} with an s3Config`);
  const { id } = requireRead(
    readRecord(exchange),
    `could not submit the job this check needs: ${by} answered`,
  );
  const { record } = await waitForEnd(context, { id, submittedAt: at });
  return record["output"];
}

/** Records a difference unless the handler saw all four fields as they were sent, the secret as its hash. */
function expectS3(
  { expect }: CheckContext,
  output: unknown,
  { s3Config, at }: { readonly s3Config: S3Config | undefined; readonly at: string },
): void {
  const seen = memberOf(output, "s3");
  if (s3Config === undefined) {
    expect.equal(seen, null, `${at}: s3 of a job without s3Config`);
    return;
  }
  const { accessId, accessSecret, bucketName, endpointUrl } = s3Config;
  const accessSecretSha256 = createHash("sha256").update(accessSecret).digest("hex");
  const sent = { accessId, accessSecretSha256, bucketName, endpointUrl };
  for (const [name, value] of Object.entries(sent)) {
    expect.equal(memberOf(seen, name), value, `${at}: ${name}`);
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return new Map(Object.entries(value)).get(name);
}
