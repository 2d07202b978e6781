import { Type, type Static, type TSchema } from "typebox";
import { Value } from "typebox/value";

import { RealClock } from "../clock.ts";
import type { Endpoint } from "../endpoint.ts";
import type { FormerJob } from "../endpoint-plan.ts";
import { createJob } from "../job.ts";
import type { Job } from "../job.ts";
import { isFinal } from "../transitions.ts";
import type { Delivery } from "../webhooks.ts";

const count = Type.Integer({ minimum: 0 });
const time = Type.Number();
const plain = Type.Record(Type.String(), Type.Unknown());

const endpointSchema = Type.Object({
  apiKey: Type.String(),
  foreignKey: Type.String(),
  clock: Type.Union([Type.Literal("real"), Type.Literal("virtual")]),
  speed: Type.Number(),
  nowMs: time,
  workers: Type.Union([count, Type.Object({ min: count, max: count })]),
  allowancePerWorker: count,
  executionTimeoutMs: Type.Optional(count),
  counts: Type.Object({ completed: count, failed: count, retried: count }),
  sequence: count,
});
export type StoredEndpoint = Static<typeof endpointSchema> & { readonly id: string };

const submissionSchema = Type.Object({
  input: plain,
  webhook: Type.Optional(Type.String()),
  policy: Type.Object({
    executionTimeout: Type.Optional(Type.Number()),
    lowPriority: Type.Optional(Type.Boolean()),
    ttl: Type.Optional(Type.Number()),
  }),
  s3Config: Type.Optional(plain),
});

const jobSchema = Type.Object({
  submittedBy: Type.Union([Type.Literal("run"), Type.Literal("runsync")]),
  status: Type.Enum(["IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED"]),
  attempt: count,
  dispatches: count,
  submittedAtMs: time,
  queuedAtMs: time,
  waitMs: Type.Number(),
  ttlEndsAtMs: Type.Optional(time),
  retentionEndsAtMs: Type.Optional(time),
});

const resultSchema = Type.Object({
  output: Type.Optional(Type.Unknown()),
  chunks: Type.Array(Type.Unknown()),
});

const deliverySchema = Type.Object({
  url: Type.String(),
  record: plain,
  attempt: count,
  dueAtMs: time,
});

export const jobRow = Type.Object({
  endpoint: Type.String(),
  id: Type.String(),
  submission: Type.String(),
  facts: Type.String(),
  result: Type.Union([Type.String(), Type.Null()]),
});
export const idRow = Type.Object({ id: Type.String() });
export const endpointRow = Type.Object({ id: Type.String(), facts: Type.String() });
export const deliveryRow = Type.Object({
  id: Type.String(),
  endpoint: Type.String(),
  job: Type.String(),
  facts: Type.String(),
});

export function endpointFacts(endpoint: Endpoint): string {
  const { apiKey, foreignKey, clock, plan, origin } = endpoint;
  const { workers, allowancePerWorker, executionTimeoutMs } = plan;
  return JSON.stringify({
    apiKey,
    foreignKey,
    clock: clock.mode,
    speed: clock instanceof RealClock ? clock.speed : 1,
    nowMs: clock.nowMs(),
    workers,
    allowancePerWorker,
    executionTimeoutMs,
    ...origin,
  });
}

export function readEndpoint({ id, facts }: Static<typeof endpointRow>): StoredEndpoint {
  return { id, ...read(endpointSchema, JSON.parse(facts)) };
}

const keptElsewhere = {
  submission: undefined,
  shownInput: undefined,
  output: undefined,
  chunks: undefined,
  ttlTimer: undefined,
  retentionTimer: undefined,
  waiters: undefined,
  listeners: undefined,
  isDeleted: undefined,
  isGivenUp: undefined,
} satisfies { readonly [Name in keyof Job]?: undefined };

/** Everything of a job that can change, but for its result. Members that a dialect has added are included. */
export function jobFacts(job: Job): string {
  return JSON.stringify({
    ...job,
    error: job.error,
    ...keptElsewhere,
    ttlEndsAtMs: job.ttlTimer?.atMs,
    retentionEndsAtMs: job.retentionTimer?.atMs,
  });
}

/** The output and chunks of a job that has ended; null before its end. */
export function jobResult({ status, output, chunks }: Job): string | null {
  return isFinal(status) ? JSON.stringify({ output, chunks }) : null;
}

export function readJob({ id, submission, facts, result }: Static<typeof jobRow>): FormerJob {
  const { ttlEndsAtMs, retentionEndsAtMs, ...rest } = read(jobSchema, JSON.parse(facts));
  const { submittedBy, waitMs, submittedAtMs: nowMs } = rest;
  const fresh = createJob({
    id,
    submittedBy,
    submission: read(submissionSchema, JSON.parse(submission)),
    waitMs,
    nowMs,
  });
  const ended = result === null ? {} : read(resultSchema, JSON.parse(result));
  return { job: { ...fresh, ...rest, ...ended }, ttlEndsAtMs, retentionEndsAtMs };
}

export function deliveryFacts({ url, record, attempt, dueAtMs }: Delivery): string {
  return JSON.stringify({ url, record, attempt, dueAtMs });
}

export function readDelivery({ id, facts }: Static<typeof deliveryRow>, job: Job): Delivery {
  return { id, job, isOver: false, ...read(deliverySchema, JSON.parse(facts)) };
}

/** @throws Error where the value is not of that shape */
export function read<Schema extends TSchema>(schema: Schema, value: unknown): Static<Schema> {
  if (Value.Check(schema, value)) return value;
  const [first] = Value.Errors(schema, value);
  throw new Error(`a row is not of the shape expected${first ? `: ${first.message}` : ""}`);
}
