import { settingProblems } from "../../openapi/describe-errors.ts";
import type { Wording } from "../../openapi/describe-errors.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import type { Promised } from "../../scenarios/scenario.ts";
import { mixOperations } from "../open-loop/mix.ts";
import type { MixOperation } from "../open-loop/mix.ts";

/** What an objective may be about: one operation, or all that a mix sends. */
export type ObjectiveSubject = MixOperation | "mix";

/** One promise of an owner: a percentile, or a share of errors, and its bound. */
export interface Objective extends Omit<Promised, "name"> {
  readonly subject: ObjectiveSubject;
}

const percentiles: Readonly<Record<string, number>> = {
  p50: 0.5,
  p75: 0.75,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
  "p99.9": 0.999,
  max: 1,
};

const closed = { type: "object", additionalProperties: false, minProperties: 1 } as const;
const durationForm = String.raw`^\d{1,9}(?:\.\d{1,3})?(?:ms|s|m)$`;
const duration = {
  type: "string",
  pattern: durationForm,
  expects: "a duration such as 50ms or 2s",
};
const ofPercentiles = Object.fromEntries(Object.keys(percentiles).map((name) => [name, duration]));
const percentileNames = Object.keys(percentiles).join(", ");
const times = {
  ...closed,
  properties: ofPercentiles,
  expects: `an object such as {"p95": "2s"}`,
  keysAre: `one of ${percentileNames}`,
};
const requestMembers = {
  ...ofPercentiles,
  errors: {
    type: "string",
    pattern: String.raw`^\d{1,2}(?:\.\d{1,4})?%$`,
    expects: "a share such as 1%",
  },
};
const jobMembers = { queueDelay: times, completion: times };
const runMembers = { ...requestMembers, ...jobMembers, firstChunk: times };

function subject(members: object): object {
  return {
    ...closed,
    properties: members,
    expects: `an object such as {"p99": "50ms", "errors": "1%"}`,
    keysAre: `one of ${Object.keys(members).join(", ")}`,
  };
}

const subjects: readonly ObjectiveSubject[] = [...mixOperations, "mix"];
const objectivesSchema = {
  ...closed,
  properties: Object.fromEntries(subjects.map((name) => [name, subject(membersOf(name))])),
  expects: `an object such as {"status": {"p99": "50ms"}}`,
  keysAre: `one of ${subjects.join(", ")}`,
};

function membersOf(name: ObjectiveSubject): object {
  if (name === "run") return runMembers;
  return name === "runsync" ? { ...requestMembers, ...jobMembers } : requestMembers;
}

type Bounds = Readonly<Record<string, string>>;
type ObjectivesSource = Readonly<
  Partial<Record<ObjectiveSubject, Readonly<Record<string, string | Bounds>>>>
>;

export type ParsedObjectives =
  | { readonly ok: true; readonly objectives: readonly Objective[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads objectives (docs/before-a-release.md#objectives), or says everything that is wrong with them. */
export function parseObjectives(given: unknown, wording: Wording = {}): ParsedObjectives {
  const validate = wordedAjv.compile<ObjectivesSource>(objectivesSchema);
  if (!validate(given)) return { ok: false, problems: settingProblems(validate.errors, wording) };
  const objectives = subjects.flatMap((name) => {
    const members = Object.entries(given[name] ?? {});
    return members.flatMap(([member, bound]) => objectivesOf(name, member, bound));
  });
  return { ok: true, objectives };
}

function objectivesOf(
  of: ObjectiveSubject,
  member: string,
  bound: string | Bounds,
): readonly Objective[] {
  if (typeof bound !== "string") {
    return Object.entries(bound).map(([name, text]) => ({
      subject: of,
      measure: measureNamed(member),
      share: percentiles[name] ?? 1,
      bound: msOf(text),
    }));
  }
  if (member === "errors") {
    return [{ subject: of, measure: "errors", share: 1, bound: Number.parseFloat(bound) / 100 }];
  }
  return [{ subject: of, measure: "latency", share: percentiles[member] ?? 1, bound: msOf(bound) }];
}

function measureNamed(member: string): Objective["measure"] {
  if (member === "queueDelay" || member === "completion") return member;
  return "firstChunk";
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

function msOf(text: string): number {
  const unit = /[a-z]+$/.exec(text)?.[0] ?? "ms";
  return Number.parseFloat(text) * (unitMs[unit] ?? 1);
}

/** An objective as its owner wrote it: `status p99`, `run completion p95`. */
export function objectiveName({ subject: of, measure, share }: Objective): string {
  if (measure === "errors") return `${of} errors`;
  const percentile = Object.entries(percentiles).find(([, each]) => each === share)?.[0] ?? "";
  return measure === "latency" ? `${of} ${percentile}` : `${of} ${measure} ${percentile}`;
}
