import { resolve } from "node:path";
// Not imported from the engines, so that help need not load them.
import { parseMix } from "../../load/open-loop/mix-file.ts";
import type { Mix } from "../../load/open-loop/mix.ts";
import { parseObjectives } from "../../load/objectives/objectives-file.ts";
import type { Objective } from "../../load/objectives/objectives-file.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { jsonOfFile } from "../json-file.ts";
import { didYouMean } from "../did-you-mean.ts";
import type { SettingValues } from "./options.ts";

/**
 * The mix of a file or of the config file; undefined where there is none.
 * @throws CommandError WRONG_USAGE with every problem at once
 */
export function mixOf({ mix }: SettingValues, io: Io): Mix | undefined {
  if (mix === undefined) return undefined;
  const { value, source, wording } = contentOf("mix", mix, io);
  const result = parseMix(value, wording);
  if (result.ok) return result.mix;
  throw unusable(`${source} is no usable mix:`, result.problems);
}

/**
 * The objectives of a file or of the config file; none where there are none.
 * @throws CommandError WRONG_USAGE with every problem at once
 */
export function objectivesOf({ objectives }: SettingValues, io: Io): readonly Objective[] {
  if (objectives === undefined) return [];
  const { value, source, wording } = contentOf("objectives", objectives, io);
  const result = parseObjectives(value, wording);
  if (result.ok) return result.objectives;
  throw unusable(`${source} names no usable objectives:`, result.problems);
}

function contentOf(name: "mix" | "objectives", given: unknown, io: Io) {
  const wording = { offer: didYouMean };
  if (typeof given !== "string") {
    const nameOf = (at: string): string => `/${name}${at}`;
    return { value: given, source: `/${name} of the config file`, wording: { ...wording, nameOf } };
  }
  const path = resolve(io.workingDirectory, given);
  const hint = `Give --${name} the path of a readable JSON file.`;
  return { value: jsonOfFile(path, `the file of --${name}`, hint), source: path, wording };
}

function unusable(text: string, problems: readonly string[]): CommandError {
  return new CommandError("WRONG_USAGE", text, {
    problems,
    hint: "Correct each of them; docs/before-a-release.md shows whole files.",
  });
}
