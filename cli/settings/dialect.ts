import { resolve } from "node:path";
// Not imported from the folder's index, so that help need not load the checks.
import { dialects } from "../../harness/dialects/shipped.ts";
import { parseDialect } from "../../harness/dialects/parse-dialect.ts";
import { spec } from "../../harness/dialects/spec.ts";
import type { Dialect } from "../../harness/dialects/schema.ts";
import { parseFile } from "../../openapi/depth.ts";
import { readGivenFile } from "../given-file.ts";
import { CommandError, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { didYouMean } from "../did-you-mean.ts";
import { textOfFile } from "../text-file.ts";
import type { SettingValues } from "./options.ts";

const names = dialects.map(({ name }) => name);

/**
 * Returns the dialect of that name, or the one in the file of that path; by default the specification's.
 * @param place the name of the source: an option, a variable, a key of a config file
 * @throws CommandError WRONG_USAGE with every problem of the file at once.
 */
export function dialectOf(given: string | undefined, io: Io, place = "--dialect"): Dialect {
  const shipped = dialects.find(({ name }) => name === (given ?? spec.name));
  if (shipped !== undefined || given === undefined) return shipped ?? spec;
  const path = resolve(io.workingDirectory, given);
  const source = place === "--dialect" ? path : `${path} (named by ${place})`;
  const parsed = parseDialect(parsedJson(readText(given, path, place), source));
  if (parsed.ok) return parsed.dialect;
  throw new CommandError("WRONG_USAGE", `${source} is not a dialect:`, {
    problems: parsed.problems,
    hint: "Correct each of them; docs/dialects.md tells what a dialect may hold.",
  });
}

function readText(given: string, path: string, place: string): string {
  try {
    return textOfFile(readGivenFile(path));
  } catch (cause) {
    const offer = didYouMean(given, names);
    const message = `${place} ${given} is none of ${names.join(", ")}, and no file can be read there${offer}`;
    throw wrongUsageBy(cause, message, "Give the name of a dialect or the path of its file.");
  }
}

function parsedJson(text: string, source: string): unknown {
  try {
    return parseFile(text);
  } catch (cause) {
    const hint = "Correct it at the place named above; comments are not JSON.";
    throw wrongUsageBy(cause, `the dialect ${source} is not JSON`, hint);
  }
}

/** Fills in placeholders where the service uses no endpoint id or no key, so that the user need not give them. */
export function withPlaceholders(values: SettingValues, { deviations }: Dialect): SettingValues {
  if (values.baseUrl === undefined || values.control !== undefined) return values;
  const namesEndpoint = deviations?.basePath?.includes("{endpointId}") ?? true;
  const asksForKey = deviations?.authorization !== "none";
  return {
    ...(!namesEndpoint && { endpoint: ["queueproof-no-endpoint"] }),
    ...(!asksForKey && { apiKey: "queueproof-no-key" }),
    ...values,
  };
}
