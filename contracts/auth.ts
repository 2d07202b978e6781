import { swappedCase } from "../client/made-up-key.ts";
import type { Exchange } from "../client/exchange.ts";
import type { JobClient } from "../client/job-client.ts";
import { authEffectChecks, expectLetIn } from "./auth/effects.ts";
import { answerOf } from "../harness/read.ts";
import { offeredCalls } from "../harness/jobs/every-operation.ts";
import { waitUntilReadable, submitJob } from "../harness/jobs/fixtures.ts";
import { awaitRateLimitSlot } from "../harness/endpoint/rate-limit-slot.ts";
import type { Check } from "../harness/check.ts";
import type { OperationCall } from "../harness/jobs/every-operation.ts";
import type { CheckContext } from "../harness/check-context.ts";

/** Who may not ask is not told either that there is no such job. */
const unknownId = "no-such-job";

/** Checks of which keys are accepted (AUTH-01 to AUTH-05). auth/effects.ts checks that a refusal has no effect. */
export const authChecks: readonly Check[] = [
  {
    name: "auth/no-header",
    title: "every operation without an authorization header answers 401",
    covers: ["AUTH-01"],
    run: async (context) => {
      await expectRefusals(context, context.api.with({ apiKey: undefined }), "no header");
    },
  },
  {
    name: "auth/no-header-unknown-job",
    title: "without an authorization header an unknown job is answered 401 as well",
    covers: ["AUTH-01"],
    run: async (context) => {
      const client = context.api.with({ apiKey: undefined });
      for (const call of offeredCalls(context).filter(({ ofJob }) => ofJob)) {
        const exchange = await call.send(client, unknownId);
        context.expect.status(exchange, 401, `${call.name} of an unknown job with no header`);
      }
    },
  },
  {
    name: "auth/wrong-key",
    title: "every operation with a wrong key answers 401, written bare and as Bearer",
    covers: ["AUTH-02"],
    run: async (context) => {
      const wrong = context.api.withMadeUpKey("queueproof-wrong-key");
      await expectRefusals(context, wrong, "a wrong key, bare");
      const asBearer = wrong.with({ scheme: "bearer" });
      await expectRefusalsOf(context, asBearer, { label: "a wrong key, as Bearer" });
    },
  },
  {
    name: "auth/almost-the-key",
    title:
      "a key that is almost the right one answers 401 on every operation, and the right one is let in after all of them",
    covers: ["AUTH-02", "AUTH-03"],
    run: async (context) => {
      const { api, expect } = context;
      const { id } = await submitJob(context, context.jobs.quick("a job to ask about"));
      for (const [label, apiKey] of almost(api.options.apiKey ?? "")) {
        const client = api.withMadeUpKey(apiKey);
        await expectRefusalsOf(context, client, { id, label });
      }
      const health = await api.with({ scheme: "raw" }).health();
      expectLetIn(expect.of("AUTH-03"), health, "health with the right key after wrong ones");
    },
  },
  {
    name: "auth/bare-key",
    title: "every operation accepts the bare key",
    covers: ["AUTH-03"],
    run: async (context) => {
      await expectAdmission(context, context.api.with({ scheme: "raw" }), "the bare key");
    },
  },
  {
    name: "auth/bearer-key",
    title: "every operation accepts the key after the word Bearer",
    covers: ["AUTH-04"],
    run: async (context) => {
      await expectAdmission(context, context.api.with({ scheme: "bearer" }), "Bearer and the key");
    },
  },
  {
    name: "auth/foreign-key",
    title: "every operation with a valid key that has no permission here answers 401",
    covers: ["AUTH-05"],
    run: async (context) => {
      const foreign = context.api.with({ apiKey: context.endpoint.foreignKey, scheme: "raw" });
      await expectRefusals(context, foreign, "a key without permission, bare");
      const asBearer = foreign.with({ scheme: "bearer" });
      await expectRefusalsOf(context, asBearer, { label: "a key without permission, as Bearer" });
      if (context.offers("endpoints")) await expectBoundKey(context);
    },
  },
  ...authEffectChecks,
];

/**
 * Expects 401 from every operation with the key of another endpoint, where that key has no permission here: a target
 * may give all endpoints of one owner keys that are good for each of them.
 */
async function expectBoundKey(context: CheckContext): Promise<void> {
  const other = await context.anotherEndpoint();
  const client = context.api.with({ apiKey: other.api.options.apiKey, scheme: "raw" });
  const { id } = await submitJob(context, context.jobs.quick("a job to ask about"));
  const exchanges: Exchange[] = [];
  for (const call of furtherCalls(context)) {
    await awaitRateLimitSlot(context, call.name);
    exchanges.push(await call.send(client, id));
  }
  if (exchanges.every((exchange) => answerOf(exchange).status !== 401)) return;
  for (const exchange of exchanges) {
    const at = `${exchange.operation} with the key of another endpoint`;
    context.expect.status(exchange, 401, at);
  }
}

/** The operations to repeat with further keys. On a real clock purge-queue is left out: only two fit into 10 s. */
function furtherCalls(context: CheckContext): readonly OperationCall[] {
  const tooRare = context.time.choose({ virtual: "none", real: "purge-queue" });
  return offeredCalls(context).filter(({ name }) => name !== tooRare);
}

/** Values that a careless comparison takes for the key. */
function almost(key: string): readonly (readonly [label: string, value: string])[] {
  const values = [
    ["the key and more after a comma", `${key},x`],
    ["the key with a character before it", `x${key}`],
    ["the key and a second word", `${key} x`],
    ["the key in quotes", `"${key}"`],
    ["the key without its last character", key.slice(0, -1)],
    ["the key with another last character", `${key.slice(0, -1)}${key.endsWith("x") ? "y" : "x"}`],
    ["the key with another first character", `${key.startsWith("x") ? "y" : "x"}${key.slice(1)}`],
    ["the key in the other case", swappedCase(key)],
    ["an empty value", ""],
    ["the word Bearer alone", "Bearer"],
  ] as const;
  return values.filter(([, value]) => value !== key);
}

/** Expects 401 from every operation. The job that is asked about exists, so nothing else is wrong with a request. */
async function expectRefusals(
  context: CheckContext,
  client: JobClient,
  label: string,
): Promise<void> {
  const { id } = await submitJob(context, context.jobs.quick("a job to ask about"));
  await expectRefusalsOf(context, client, { id, label, calls: offeredCalls(context) });
}

interface RefusedCalls {
  readonly label: string;
  /** The id given to those that ask about a job; absent: that of no job. */
  readonly id?: string;
  /** Absent: the operations to repeat with further keys. */
  readonly calls?: readonly OperationCall[];
}

/** Expects 401 from these operations. */
async function expectRefusalsOf(
  context: CheckContext,
  client: JobClient,
  { label, id = unknownId, calls = furtherCalls(context) }: RefusedCalls,
): Promise<void> {
  for (const call of calls) {
    await awaitRateLimitSlot(context, call.name);
    const exchange = await call.send(client, id);
    context.expect.status(exchange, 401, `${call.name} with ${label}`);
  }
}

/** Expects every operation to let the key in. One that may refuse for another reason may give any answer but 401. */
async function expectAdmission(
  context: CheckContext,
  client: JobClient,
  label: string,
): Promise<void> {
  // A purge that is let in would empty the queue of every check that shares the endpoint; checks of purges send it there.
  const calls = offeredCalls(context).filter(
    ({ name }) => name !== "purge-queue" || context.offers("endpoints"),
  );
  // Operations that name no job come first: a target that refuses the key makes no job to name.
  const expectAdmitted = async (call: OperationCall, jobId: string): Promise<void> => {
    await awaitRateLimitSlot(context, call.name);
    const exchange = await call.send(client, jobId);
    const at = `${call.name} with ${label}`;
    if (nothingElseToRefuse.has(call.name)) context.expect.accepted(exchange, at);
    else expectLetIn(context.expect, exchange, at);
  };
  for (const call of calls.filter(({ ofJob }) => !ofJob)) await expectAdmitted(call, "");
  const { id } = await waitUntilReadable(
    context,
    await submitJob(context, context.jobs.quick("a job to ask about")),
  );
  for (const call of calls.filter(({ ofJob }) => ofJob)) await expectAdmitted(call, id);
}

/** Operations without another reason to refuse. Others have one: the job's state, or a worker that knows no echo. */
const nothingElseToRefuse: ReadonlySet<string> = new Set([
  "run",
  "status",
  "purge-queue",
  "health",
]);
