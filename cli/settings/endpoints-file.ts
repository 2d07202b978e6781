import { resolve } from "node:path";
import { Type } from "typebox";
import type { Static, TInteger, TSchema } from "typebox";
import { operations } from "../../openapi/operations.ts";
import { settingProblems } from "../../openapi/describe-errors.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import type { NewEndpoint } from "../../reference/service.ts";
import { parseFile } from "../../openapi/depth.ts";
import { CommandError, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { readTextFile } from "../text-file.ts";
import { didYouMean } from "../did-you-mean.ts";
import { durationMsIfGiven, durationPattern } from "./duration.ts";

const workersMax = 1_000_000;
const limitSchema = strict({
  requests: Type.Optional(integer(0, 1_000_000_000)),
  concurrent: Type.Optional(integer(0, 1_000_000_000)),
});
const limitsSchema = Type.Partial(
  strict(Object.fromEntries(operations.map(({ name }) => [name, limitSchema]))),
  { additionalProperties: false },
);

const keySchema = Type.String({
  pattern: String.raw`^[!-~]{1,200}$`,
  expects: "a key without spaces",
  secret: true,
});
const endpointSchema = strict({
  id: Type.String({
    pattern: String.raw`^[\w-]{1,100}$`,
    expects: "an id of letters, digits, dashes and underscores",
  }),
  apiKey: Type.Optional(keySchema),
  foreignKey: Type.Optional(keySchema),
  workers: Type.Optional(integer(0, workersMax)),
  scaling: Type.Optional(strict({ min: integer(0, workersMax), max: integer(0, workersMax) })),
  allowance: Type.Optional(integer(0, 1_000_000_000)),
  executionTimeout: Type.Optional(
    Type.String({ pattern: durationPattern, expects: "a duration such as 30s, 10m or 1h" }),
  ),
  clock: Type.Optional(Type.Enum(["real", "virtual"], { expects: '"real" or "virtual"' })),
  speed: Type.Optional(integer(1, 100_000)),
  limits: Type.Optional(limitsSchema),
});
const fileSchema = strict({
  endpoints: Type.Array(endpointSchema, {
    minItems: 1,
    expects: "a list of one or more endpoints",
  }),
});
type EndpointEntry = Static<typeof endpointSchema>;

const validate = wordedAjv.compile<Static<typeof fileSchema>>(fileSchema);

/**
 * Reads the endpoints of a file; the first is the default one. `speed` applies to real clocks without their own speed.
 * @throws CommandError WRONG_USAGE with every problem of the file at once, each with its place.
 */
export function readEndpoints(
  given: string,
  speed: number | undefined,
  io: Io,
): readonly NewEndpoint[] {
  const path = resolve(io.workingDirectory, given);
  const value = readJson(path);
  const problems = validate(value)
    ? value.endpoints.flatMap((entry, at) => contradictions(entry, at, value.endpoints))
    : settingProblems(validate.errors, { offer: didYouMean });
  if (!validate(value) || problems.length > 0) {
    throw new CommandError("WRONG_USAGE", `${path} is not a file of endpoints:`, {
      problems,
      hint: "Correct each of them; docs/local-development.md shows a whole file.",
    });
  }
  return value.endpoints.map((entry) => endpointOf(entry, speed));
}

function endpointOf(entry: EndpointEntry, speed: number | undefined): NewEndpoint {
  const { id, apiKey, foreignKey, clock = "real", executionTimeout, limits } = entry;
  return {
    id,
    apiKey,
    foreignKey,
    workers: entry.scaling ?? entry.workers ?? 1,
    allowancePerWorker: entry.allowance ?? 0,
    executionTimeoutMs: durationMsIfGiven(executionTimeout),
    clock,
    speed: entry.speed ?? speed,
    limits,
  };
}

/** Finds contradictions that a schema cannot express. */
function contradictions(
  { id, workers, scaling, clock, speed }: EndpointEntry,
  at: number,
  all: readonly EndpointEntry[],
): readonly string[] {
  const place = `/endpoints/${at}`;
  const problems: string[] = [];
  const first = all.findIndex((other) => other.id === id);
  if (first !== at)
    problems.push(`${place}/id: ${JSON.stringify(id)} is the id of /endpoints/${first}`);
  if (workers !== undefined && scaling !== undefined) {
    problems.push(`${place}: expected workers or scaling, got both`);
  }
  if (scaling !== undefined && scaling.min > scaling.max) {
    problems.push(`${place}/scaling/min: expected at most max, ${scaling.max}, got ${scaling.min}`);
  }
  if (clock === "virtual" && speed !== undefined) {
    problems.push(`${place}/speed: expected none, for a virtual clock stands still, got ${speed}`);
  }
  return problems;
}

function readJson(path: string): unknown {
  const what = "the file of endpoints";
  const text = readTextFile(path, what, "Give --endpoints the path of a readable JSON file.");
  try {
    return parseFile(text);
  } catch (cause) {
    const hint = "Correct it at the place named above; comments and trailing commas are not JSON.";
    throw wrongUsageBy(cause, `${what} ${path} is not JSON`, hint);
  }
}

function strict<Properties extends Record<string, TSchema>>(
  properties: Properties,
): ReturnType<typeof Type.Object<Properties>> {
  return Type.Object(properties, { additionalProperties: false });
}

function integer(minimum: number, maximum: number): TInteger {
  return Type.Integer({ minimum, maximum, expects: `an integer from ${minimum} to ${maximum}` });
}
