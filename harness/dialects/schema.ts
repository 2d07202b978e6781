import { Type } from "typebox";
import type { Static, TArray, TOptional, TSchema, TString, TUnsafe } from "typebox";
import { operations } from "../../openapi/operations.ts";
import { requirementIds, requirements } from "../../openapi/requirements.ts";
import type { JobStatus } from "../../openapi/schemas.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { jobStates } from "../record.ts";

/** The members of a record that a service may have under another name. */
const recordMembers = ["id", "status", "output", "delayTime", "executionTime"] as const;
export type RecordMember = (typeof recordMembers)[number];

const operationNames = operations.map(({ name }) => name);
/** What a service may lack as a whole: an operation, the calls of webhooks, or the state of jobs at work. */
const lackable = [...operationNames, "webhook", "IN_PROGRESS"] as const;
const openIds = requirementIds.filter((id) => requirements[id].level === "open");
const closed = { additionalProperties: false, expects: "a JSON object" } as const;

/** Maps some keys to values; one that is not among them is refused by name. */
type Some<Key extends string, Value> = Readonly<Partial<Record<Key, Value>>>;

function table<Key extends string, Value>(
  keys: readonly Key[],
  valueOf: (key: Key) => TSchema,
  keysAre = "a known key",
): TOptional<TUnsafe<Some<Key, Value>>> {
  const members = Object.fromEntries(keys.map((key) => [key, Type.Optional(valueOf(key))]));
  const schema = Type.Object(members, { ...closed, keysAre });
  return Type.Optional(Type.Unsafe<Some<Key, Value>>(schema));
}

function text(expects: string, rules: { readonly pattern?: string } = {}): TString {
  return Type.String({ minLength: 1, expects, ...rules });
}

function oneOf<Value extends string>(values: readonly Value[]): TUnsafe<Value> {
  const expects = values.length === 1 ? values.join("") : `one of ${values.join(", ")}`;
  return Type.Unsafe<Value>(Type.Enum([...values], { expects }));
}

function list<Item extends TSchema>(items: Item): TOptional<TArray<Item>> {
  return Type.Optional(Type.Array(items, { minItems: 1, expects: "a list of one or more" }));
}

const flag = Type.Optional(Type.Boolean({ expects: "true or false" }));
const httpStatus = Type.Integer({
  minimum: 400,
  maximum: 599,
  expects: "an HTTP status from 400 to 599",
});
const aText = "a text of one character or more";

/** An error that comes as a job record in a success. */
const errorRecord = Type.Object(
  { status: text(aText), error: text("the text of its error, * for any"), means: httpStatus },
  closed,
);

/** A known difference: it is listed in reports and fails nothing. */
const toleration = Type.Object(
  {
    requirement: oneOf(requirementIds),
    what: text("a sentence on what the service does instead"),
    at: Type.Optional(text("where it is seen, * for any characters")),
    got: Type.Optional(text("what is seen, * for any characters")),
  },
  closed,
);

const deviations = Type.Object(
  {
    basePath: Type.Optional(
      Type.String({
        pattern: "^(/[^/?#\\s]+)*$",
        expects: "a path such as /v1/{endpointId}, empty for none, without a slash at its end",
      }),
    ),
    trailingSlash: flag,
    bodiesNeeded: flag,
    methods: table<OperationName, "GET" | "POST">(operationNames, () => oneOf(["GET", "POST"])),
    authorization: Type.Optional(oneOf(["raw", "bearer", "none"])),
    refusals: list(httpStatus),
    envelope: Type.Optional(text("the name of a member")),
    numericIds: flag,
    members: Type.Optional(
      Type.Unsafe<Readonly<Record<string, RecordMember>>>(
        Type.Record(Type.String(), oneOf(recordMembers), { expects: "a JSON object" }),
      ),
    ),
    nullMembers: flag,
    outputsInText: flag,
    outputMember: Type.Optional(text("the name of a member")),
    bareAnswers: list(oneOf(["run", "cancel", "retry"])),
    initialStatuses: list(text(aText)),
    states: Type.Optional(
      Type.Unsafe<Readonly<Record<string, JobStatus>>>(
        Type.Record(Type.String(), oneOf(jobStates), { expects: "a JSON object" }),
      ),
    ),
    outputInProgress: flag,
    recordsWithout: list(oneOf(["delayTime", "executionTime"])),
    errorRecords: list(errorRecord),
    unknownJobs: Type.Optional(httpStatus),
    waitOver: Type.Optional(httpStatus),
    recordStatuses: list(httpStatus),
    oneShotResults: flag,
    stream: Type.Optional(
      Type.Object(
        { member: Type.Optional(text("the name of a member")), withoutMetrics: flag },
        closed,
      ),
    ),
    webhookMember: Type.Optional(text("the name of a member")),
    lacks: list(oneOf(lackable)),
    lacksRequirements: table<RequirementId, string>(requirementIds, () =>
      text("a sentence on what the service does not have"),
    ),
    skipsChecks: Type.Optional(
      Type.Unsafe<Readonly<Record<string, string>>>(
        Type.Record(Type.String(), text("a sentence on what they presuppose"), {
          expects: "a JSON object of check names, * for any characters, and reasons",
        }),
      ),
    ),
    tolerates: list(toleration),
  },
  closed,
);

/** The names of the deviations that a dialect may list. */
export const deviationNames: readonly string[] = Object.keys(deviations.properties);

/** One dialect, as a file describes it. Only `name` and `description` are needed. */
export const dialectSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name: text("a name of letters, digits and hyphens", { pattern: "^[A-Za-z0-9][A-Za-z0-9-]*$" }),
    description: text("a sentence on whose dialect it is"),
    readings: table<RequirementId, string>(
      openIds,
      (id) => oneOf(requirements[id].accepts),
      "an open requirement",
    ),
    deviations: Type.Optional(deviations),
  },
  closed,
);

export type Dialect = Readonly<Static<typeof dialectSchema>>;
export type Deviations = Readonly<Static<typeof deviations>>;
export type Lackable = (typeof lackable)[number];

/** Joins deviations: lists are put together, tables too; where two name one member of a table, the first wins. */
export function mergeDeviations(first: Deviations, second: Deviations): Deviations {
  const names = new Set([...Object.keys(first), ...Object.keys(second)]);
  return Object.fromEntries(
    [...names].map((name) => [name, joined(Reflect.get(first, name), Reflect.get(second, name))]),
  );
}

function joined(one: unknown, other: unknown): unknown {
  if (one === undefined || other === undefined) return one ?? other;
  if (Array.isArray(one) && Array.isArray(other)) {
    return [...new Set([...(one as unknown[]), ...(other as unknown[])])];
  }
  const areTables = [one, other].every((each) => typeof each === "object" && each !== null);
  return areTables ? Object.assign({}, other, one) : one;
}
