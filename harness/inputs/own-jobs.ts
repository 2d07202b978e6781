import { isDeepStrictEqual } from "node:util";

import type { JobKind } from "../../openapi/capabilities.ts";
import { Unsupported } from "../outcome.ts";
import type { JobInput, Jobs, KnownOutput, WorkLength } from "./jobs.ts";
import { kindsOf } from "./jobs-file.ts";
import type { OwnJob, OwnJobKinds } from "./jobs-file.ts";

/** How many jobs a check may have to wait for: a worker may have to end another check's job before its own. */
const jobsBefore = 2;

/** How long jobs worked when they were tried, in milliseconds; absent for a kind that the file has not. */
export interface SeenWork {
  readonly quickMs?: number;
  readonly slowMs?: number;
}

/** By how much jobs alike may differ in how long they work. */
const usualShare = 1.25;
const usualMarginMs = 1000;

/** Jobs of the endpoint's owner: what they do is what the jobs file says. */
export class OwnJobs implements Jobs {
  readonly exact = false;
  readonly endAfterRetry = "FAILED";
  readonly graceMs: number;
  readonly quickMs: number;
  readonly kinds: OwnJobKinds;
  readonly #values: unknown[] = [];
  /** How long the jobs worked when they were tried. */
  seen: SeenWork = {};

  constructor(kinds: OwnJobKinds) {
    this.kinds = kinds;
    const { quick, known = [] } = kinds;
    const all = jobsByKind(kinds).map(([, job]) => job);
    this.quickMs = Math.max(0, ...[quick, ...known].map((job) => job?.atMostMs ?? 0));
    this.graceMs = jobsBefore * Math.max(0, ...all.map(({ atMostMs }) => atMostMs));
  }

  /** Gives each value a job of known output of its own, as long as there are enough. */
  quick = (value?: unknown): JobInput => {
    const { known } = this.kinds;
    if (known === undefined) return this.#demand("quick").input;
    const seen = this.#values.findIndex((other) => isDeepStrictEqual(other, value));
    const at = seen < 0 ? this.#values.push(value) - 1 : seen;
    return known[at % known.length]?.input ?? this.#demand("quick").input;
  };

  short = (_ms: number, value?: unknown): JobInput => this.quick(value);

  slow = (): JobInput => this.#demand("slow").input;

  slowYielding = (): JobInput => this.#demand("slow").input;

  failing = (): JobInput => this.#demand("failing").input;

  failingFirst = (failures: number, value: unknown): JobInput =>
    failures === 0 ? this.quick(value) : this.#demand("failing").input;

  streaming = (): JobInput => this.#demand("streaming").input;

  eachOf = <Row>(rows: readonly Row[]): readonly Row[] => rows.slice(0, 1);

  chunksAtLeast = (): number => this.#demand("streaming").chunksAtLeast;

  outputOf = (input: JobInput): KnownOutput | undefined =>
    this.kinds.known?.find((job) => job.input === input);

  lengthOf = (): WorkLength => this.#demand("slow");

  usualMs = (): number => {
    const { atMostMs } = this.#demand("slow");
    const { slowMs = atMostMs } = this.seen;
    return Math.min(atMostMs, usualShare * slowMs + usualMarginMs);
  };

  /** To be called with how long a job worked on an endpoint where it was tried. */
  noteSeen(kind: "quick" | "slow", ms: number): void {
    const name = `${kind}Ms` as const;
    this.seen = { ...this.seen, [name]: Math.max(ms, this.seen[name] ?? 0) };
  }

  #demand<Kind extends Exclude<JobKind, "known">>(kind: Kind): NonNullable<OwnJobKinds[Kind]> {
    const job = this.kinds[kind];
    if (job === undefined) throw new Unsupported(`the jobs file names no ${kind} job`);
    return job;
  }
}

/** Lists every job, each with its kind. */
export function jobsByKind(kinds: OwnJobKinds): readonly (readonly [JobKind, OwnJob])[] {
  return kindsOf(kinds).flatMap((kind) => [kinds[kind] ?? []].flat().map((job) => [kind, job]));
}
