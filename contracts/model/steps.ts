import * as fc from "fast-check";

import { retentionMs } from "../../harness/jobs/retention.ts";

/** What a job of a random sequence asks of the worker. */
export type StepWork = { readonly op: "echo" } | { readonly op: "fail" } | SleepWork;

interface SleepWork {
  readonly op: "sleep";
  readonly ms: number;
}

/** One thing done to an endpoint. Jobs are named by a number that is taken modulo the number of jobs there are. */
export type Step =
  | SubmitStep
  | { readonly do: "advance"; readonly ms: number }
  | { readonly do: "set workers"; readonly count: number }
  | JobStep
  | { readonly do: "purge" };

/** Something asked of one job. */
export interface JobStep {
  readonly do: "cancel" | "retry" | "stream";
  readonly job: number;
}

/** Jobs that are submitted. */
export interface SubmitStep {
  readonly do: "submit";
  readonly work: StepWork;
  readonly policy: StepPolicy;
  /** How many jobs are submitted at once; absent: one. */
  readonly count?: number;
  /** The length of a text that each has in its input; absent: none. */
  readonly characters?: number;
}

/** Milliseconds, as in a submission (docs/specification.md#policy). */
export interface StepPolicy {
  readonly ttl?: number;
  readonly executionTimeout?: number;
}

/*
 * No moment of a sequence may fall on a boundary, where both outcomes conform (docs/specification.md#moments). Every
 * advance ends in 007 ms and every sleep in 300 ms, while limits are whole seconds: within a sequence's length they
 * never meet.
 */
const advanceRestMs = 7;
const sleepRestMs = 300;

const sleep: fc.Arbitrary<StepWork> = fc
  .integer({ min: 0, max: 12 })
  .map((seconds) => ({ op: "sleep", ms: seconds * 1000 + sleepRestMs }));

/** Work that takes no time: it gives back its value, or raises. */
export const echo: fc.Arbitrary<StepWork> = fc.constant({ op: "echo" });
export const fail: fc.Arbitrary<StepWork> = fc.constant({ op: "fail" });

/**
 * Only work that cannot be retried is given a ttl: whether a retry starts the ttl anew is open
 * (docs/specification.md#after-a-retry).
 */
const submit: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: submission(sleep, {}) },
  { weight: 2, arbitrary: submission(echo, {}) },
  { weight: 2, arbitrary: submission(fail, {}) },
  { weight: 2, arbitrary: submission(sleep, { executionTimeout: 5000 }) },
  { weight: 1, arbitrary: submission(sleep, { ttl: 10_000 }) },
  { weight: 1, arbitrary: submission(echo, { ttl: 10_000 }) },
);

function submission(work: fc.Arbitrary<StepWork>, policy: StepPolicy): fc.Arbitrary<Step> {
  return work.map((chosen) => ({ do: "submit", work: chosen, policy }));
}

const advance: fc.Arbitrary<Step> = fc
  .oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 15 }).map((seconds) => seconds * 1000) },
    { weight: 1, arbitrary: fc.constant(retentionMs.run) },
  )
  .map((ms) => ({ do: "advance", ms: ms + advanceRestMs }));

const job = fc.nat({ max: 5 });

/** A random step. Steps that make something happen are drawn more often than steps that only read. */
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 7, arbitrary: submit },
  { weight: 6, arbitrary: advance },
  { weight: 2, arbitrary: fc.nat({ max: 3 }).map(setWorkers) },
  { weight: 3, arbitrary: job.map(onJob("cancel")) },
  { weight: 3, arbitrary: job.map(onJob("retry")) },
  { weight: 1, arbitrary: job.map(onJob("stream")) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "purge" }) },
);

/** A step that sets the number of workers. */
export function setWorkers(count: number): Step {
  return { do: "set workers", count };
}

/** A step that asks something of the job with a number. */
export function onJob(operation: JobStep["do"]): (number: number) => Step {
  return (number) => ({ do: operation, job: number });
}

/** A random sequence of steps, as fast-check draws and shrinks it. */
export const sequences: fc.Arbitrary<readonly Step[]> = fc.array(anyStep, {
  minLength: 4,
  maxLength: 14,
  size: "max",
});

/** A step in words, with the number of the job it is about. */
export function describeStep(step: Step, jobNumber: number | undefined): string {
  switch (step.do) {
    case "submit":
      return describeSubmission(step);
    case "advance":
      return `let ${step.ms} ms go by`;
    case "set workers":
      return `set the workers to ${step.count}`;
    case "purge":
      return "purge the queue";
    case "cancel":
    case "retry":
    case "stream":
      return jobNumber === undefined ? `${step.do} nothing` : `${step.do} job ${jobNumber}`;
  }
}

function describeSubmission({ work, policy, count = 1, characters = 0 }: SubmitStep): string {
  const jobs = count === 1 ? "a job" : `${count} jobs`;
  const length = work.op === "sleep" ? ` of ${work.ms} ms` : "";
  const limits = Object.entries(policy).map(([name, ms]) => `, ${name} ${String(ms)} ms`);
  const text = characters === 0 ? "" : `, with ${characters} characters each`;
  return `submit ${jobs}: ${work.op}${length}${limits.join("")}${text}`;
}
