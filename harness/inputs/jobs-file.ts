import { isDeepStrictEqual } from "node:util";

import { jobKinds } from "../../openapi/capabilities.ts";
import { settingProblems } from "../../openapi/describe-errors.ts";
import type { JobKind } from "../../openapi/capabilities.ts";
import type { Wording } from "../../openapi/describe-errors.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import { jobsSchema } from "./generated/jobs-schema.ts";
import type { JobsSource } from "./jobs-schema.ts";

/** The size that run accepts in any case, in bytes (RUNA-02). */
const submissionBytesMax = 10_000_000;

/** How long a job may work where the file does not say, in milliseconds. */
const atMostMsDefault = 30_000;

/** One job of a jobs file, with what the owner says of it. */
export interface OwnJob {
  readonly input: Readonly<Record<string, unknown>>;
  readonly atMostMs: number;
}

/** What the endpoint's own workers can be asked to do (docs/test-my-server.md#jobs-of-your-own). */
export interface OwnJobKinds {
  readonly quick?: OwnJob;
  readonly slow?: OwnJob & { readonly atLeastMs: number };
  readonly failing?: OwnJob;
  readonly known?: readonly (OwnJob & { readonly output: unknown })[];
  readonly streaming?: OwnJob & { readonly chunksAtLeast: number };
}

/** The jobs of a file, or every problem of it, one line each. */
export type ParsedJobs =
  | { readonly ok: true; readonly jobs: OwnJobKinds }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Validates a value by the schema of jobs files. A problem says where it is, what is expected and what was found. */
export function parseJobs(given: unknown, wording: Wording = {}): ParsedJobs {
  // Compiled here, not at import: a run without such a file never needs it.
  const validate = wordedAjv.compile<JobsSource>(jobsSchema);
  const value = withListOfKnown(given);
  if (!validate(value)) return { ok: false, problems: settingProblems(validate.errors, wording) };
  const jobs = jobsOf(value);
  const problems = contradictions(jobs, wording.nameOf ?? ((pointer) => pointer));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, jobs };
}

/** Puts a list around a single job of known output. */
function withListOfKnown(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("known" in value)) return value;
  return { ...value, known: [value.known].flat() };
}

/** The kinds that a file offers. A job of known output is a quick one, too. */
export function kindsOf(jobs: OwnJobKinds): readonly JobKind[] {
  return jobKinds.filter((kind) => jobs[kind] !== undefined);
}

function jobsOf({ quick, slow, failing, known: given, streaming }: JobsSource): OwnJobKinds {
  const withDefault = <Job extends { readonly atMostMs?: number }>(job: Job) => ({
    ...job,
    atMostMs: job.atMostMs ?? quick?.atMostMs ?? atMostMsDefault,
  });
  const knownJobs = given?.map(withDefault);
  const [firstKnown] = knownJobs ?? [];
  const quickJob = quick === undefined ? firstKnown : withDefault(quick);
  return {
    ...(quickJob !== undefined && { quick: quickJob }),
    ...(slow !== undefined && { slow }),
    ...(failing !== undefined && { failing: withDefault(failing) }),
    ...(knownJobs !== undefined && { known: knownJobs }),
    ...(streaming !== undefined && {
      // Its pieces may come for much longer than a quick job takes.
      streaming: { atMostMs: atMostMsDefault, chunksAtLeast: 1, ...streaming },
    }),
  };
}

/** The problems that a schema cannot express. */
function contradictions(
  { quick, slow, failing, known: knownJobs = [], streaming }: OwnJobKinds,
  nameOf: (pointer: string) => string,
): readonly string[] {
  const problems: string[] = [];
  if (slow !== undefined && slow.atLeastMs > slow.atMostMs) {
    const expected = `expected at most atMostMs, ${slow.atMostMs}`;
    problems.push(`${nameOf("/slow/atLeastMs")}: ${expected}, got ${slow.atLeastMs}`);
  }
  for (const [at, { output }] of knownJobs.entries()) {
    const same = knownJobs.findIndex((other) => isDeepStrictEqual(other.output, output));
    if (same === at) continue;
    const place = `${nameOf(`/known/${at}/output`)} is the same as that of`;
    problems.push(`${place} /known/${same}: give jobs whose outputs differ`);
  }
  for (const [kind, job] of Object.entries({ quick, slow, failing, streaming })) {
    if (job !== undefined) problems.push(...sizeProblems(nameOf(`/${kind}/input`), job));
  }
  for (const [at, job] of knownJobs.entries()) {
    problems.push(...sizeProblems(nameOf(`/known/${at}/input`), job));
  }
  return [...new Set(problems)];
}

function sizeProblems(place: string, job: OwnJob): readonly string[] {
  const bytes = Buffer.byteLength(JSON.stringify({ input: job.input }));
  if (bytes <= submissionBytesMax) return [];
  return [
    `${place} is too large: a submission with it has ${bytes} bytes, and run takes ${submissionBytesMax} at most`,
  ];
}
