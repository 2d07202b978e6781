import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { Type } from "typebox";
import type { Static } from "typebox";

import { parseFile } from "../../openapi/depth.ts";
import { settingProblems } from "../../openapi/describe-errors.ts";
import { wordedAjv } from "../../openapi/worded-schema.ts";
import type { HandlerFunction, HandlerRow } from "../../reference/own-handler.ts";
import { didYouMean } from "../did-you-mean.ts";
import { CommandError, messageOf, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { readTextFile } from "../text-file.ts";
import { durationMsIfGiven, durationPattern } from "./duration.ts";

const duration = Type.String({
  pattern: durationPattern,
  expects: "a duration such as 200ms or 5s",
});
const rowSchema = Type.Object(
  {
    input: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { expects: "an object" })),
    output: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.String()),
    delay: Type.Optional(duration),
    chunks: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1, expects: "a list of chunks" })),
    every: Type.Optional(duration),
  },
  { additionalProperties: false },
);
const tableSchema = Type.Array(rowSchema, {
  minItems: 1,
  expects: "a list of one or more rows",
});
const validate = wordedAjv.compile<Static<typeof tableSchema>>(tableSchema);

/** A handler of somebody's own, as a file gives it. */
export type OwnHandler = HandlerFunction | readonly HandlerRow[];

/**
 * Reads a handler: a JSON table of inputs and what becomes of them, or a module whose default export is an async function
 * or an async generator.
 * @throws CommandError WRONG_USAGE with every problem of the file at once
 */
export async function readHandler(given: string, io: Io): Promise<OwnHandler> {
  const path = resolve(io.workingDirectory, given);
  return extname(path) === ".json" ? readTable(path) : importHandler(path);
}

function readTable(path: string): readonly HandlerRow[] {
  const value = readJson(path);
  const isTable = validate(value);
  const problems = isTable
    ? value.flatMap(contradictions)
    : settingProblems(validate.errors, { offer: didYouMean });
  if (!isTable || problems.length > 0) throw noHandler(path, problems);
  return value.map(rowOf);
}

function rowOf({ delay, every, ...row }: Static<typeof rowSchema>): HandlerRow {
  const [delayMs, everyMs] = [durationMsIfGiven(delay), durationMsIfGiven(every)];
  return {
    ...row,
    ...(delayMs !== undefined && { delayMs }),
    ...(everyMs !== undefined && { everyMs }),
  };
}

function contradictions(
  { output, error, chunks, every }: Static<typeof rowSchema>,
  at: number,
): readonly string[] {
  return [
    ...(error !== undefined && output !== undefined
      ? [`/${at}: expected output or error, got both`]
      : []),
    ...(every !== undefined && chunks === undefined
      ? [`/${at}/every: expected none without chunks`]
      : []),
  ];
}

async function importHandler(path: string): Promise<HandlerFunction> {
  let module: unknown;
  try {
    module = await import(pathToFileURL(path).href);
  } catch (cause) {
    throw new CommandError(
      "WRONG_USAGE",
      `the handler ${path} cannot be loaded: ${messageOf(cause)}`,
      {
        hint: "Give --handler a JavaScript module (TypeScript from Node 22.18 on) or a JSON table.",
        cause,
      },
    );
  }
  const found = memberOf(module, "default") ?? memberOf(module, "handler");
  if (isHandlerFunction(found)) return found;
  throw noHandler(path, ["expected a function as its default export"]);
}

function memberOf(module: unknown, name: string): unknown {
  return typeof module === "object" && module !== null ? Reflect.get(module, name) : undefined;
}

function isHandlerFunction(value: unknown): value is HandlerFunction {
  return typeof value === "function";
}

function readJson(path: string): unknown {
  const text = readTextFile(path, "the handler", "Give --handler the path of a readable file.");
  try {
    return parseFile(text);
  } catch (cause) {
    const hint = "Correct it at the place named above; comments and trailing commas are not JSON.";
    throw wrongUsageBy(cause, `the handler ${path} is not JSON`, hint);
  }
}

function noHandler(path: string, problems: readonly string[]): CommandError {
  return new CommandError("WRONG_USAGE", `${path} is not a handler:`, {
    problems,
    hint: "Correct each of them; docs/local-development.md shows a whole table and a module.",
  });
}
