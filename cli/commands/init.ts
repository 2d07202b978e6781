import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { configText } from "../init/config-text.ts";
import { dialectToLearn, learnedDialectText } from "../init/learn-dialect.ts";
import { jobsFileName, jobsOfTestsHere } from "../init/jobs-of-tests.ts";
import { askedSettings } from "../init/questions.ts";
import { codeOf, CommandError, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { checkLayer } from "../settings/check.ts";
import { refuseUnusable } from "../settings/resolve.ts";
import type { SettingValues } from "../settings/options.ts";
import { configFileName, flagLayer } from "../settings/sources.ts";
import type { Flags } from "../settings/sources.ts";

/**
 * Writes a config file with a comment on every setting. Values come from options, or are asked for on a terminal. An
 * existing file is overwritten only with `--force`. Tests that
 * lie in the working directory become a jobs file, where a target is named on which they can be run. A dialect's file that is named and not there is written from what
 * is learned of the target.
 * @throws CommandError WRONG_USAGE for a wrong value, an existing file, a place that cannot be written
 */
export async function init(flags: Flags, config: string | undefined, io: Io): Promise<number> {
  const { values, problems } = checkLayer(flagLayer(flags));
  refuseUnusable([...problems, ...secretProblems(values)]);
  const { force = false, ...given } = values;
  const asksNobody = Object.keys(given).length > 0 || io.input === undefined;
  const asked = asksNobody ? given : await askedSettings(io.input, io);
  const name = config ?? configFileName;
  const found = await jobsOfTestsHere(asked, io);
  const chosen = found === undefined ? asked : { ...asked, jobs: jobsFileName };
  const file = dialectToLearn(chosen, io);
  const dialect = file === undefined ? undefined : await learnedDialectText(asked, file, io);
  if (found !== undefined) await writeNew(resolve(io.workingDirectory, jobsFileName), found, force);
  await writeNew(resolve(io.workingDirectory, name), configText(chosen), force);
  if (file !== undefined && dialect !== undefined) {
    await writeNew(resolve(io.workingDirectory, file), dialect, force);
    io.write(`Wrote ${file}: what was learned, as a dialect.\n`);
  }
  io.write(
    [
      `Wrote ${name}. Keys stay out of it: set QUEUEPROOF_API_KEY where one is needed.`,
      "See what would run:  queueproof contract --dry-run",
      "Run it:              queueproof contract",
      "",
    ].join("\n"),
  );
  return 0;
}

function secretProblems({ apiKey, foreignKey }: SettingValues): readonly string[] {
  const given = { "--api-key": apiKey, "--foreign-key": foreignKey };
  return Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([option]) => `${option} does not belong in a file: give it as a variable`);
}

async function writeNew(path: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(path, text, { flag: force ? "w" : "wx" });
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") {
      const hint = "--force overwrites it; --config FILE writes another one.";
      throw new CommandError("WRONG_USAGE", `${path} already exists`, { hint, cause });
    }
    const hint = "Name a file in a directory that can be written to.";
    throw wrongUsageBy(cause, `${path} cannot be written`, hint);
  }
}
