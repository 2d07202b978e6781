import type { Capability } from "../../openapi/capabilities.ts";
import { referenceDialects } from "../../reference/dialects.ts";
import type { ClientTask } from "../../traffic/clients/client-tasks.ts";
import type { Io } from "../io.ts";
import { clientOptions } from "./command-options.ts";
import { resolveMeaningful } from "./resolve.ts";
import { judgementDemandsOf } from "./report-demands.ts";
import type { JudgementDemands } from "./report-demands.ts";
import { selectionProblemsOf } from "./selection.ts";
import type { SettingValues } from "./options.ts";
import type { GivenFlags } from "./sources.ts";

export interface ClientSettings extends JudgementDemands {
  /** The program and its arguments; of no meaning beside a receiver. */
  readonly command: readonly [string, ...string[]];
  /** A receiver of webhooks that is judged in place of a program, and jobs that its application knows. */
  readonly receiver: string | undefined;
  readonly jobs: readonly string[];
  readonly capabilities: readonly Capability[];
  readonly yes: boolean;
  readonly tasks: readonly ClientTask[];
  /** Whether the program asks by HTTP alone. */
  readonly isPlain: boolean;
  readonly judgesPolls: boolean;
  readonly dialect: string;
  readonly dryRun: boolean;
}

/**
 * Makes the complete settings of `client`.
 * @throws CommandError WRONG_USAGE, naming everything that is wrong.
 */
export function clientSettings(
  words: readonly string[],
  given: GivenFlags,
  io: Io,
): ClientSettings {
  const [program, ...rest] = words;
  const values = resolveMeaningful(
    { settings: clientOptions, ...given },
    io,
    selectionProblemsOf("client"),
    (read) => [...programProblems(read, program), ...dialectProblems(read)],
  );
  const { tasks = ["run"], plain = false, dialect = "spec", job = [], capability = [] } = values;
  return {
    ...judgementDemandsOf(values, ["client"], io),
    command: [program ?? "", ...rest],
    receiver: values.receiver,
    jobs: job,
    capabilities: capability,
    yes: values.yes ?? false,
    tasks: [...new Set(tasks)],
    isPlain: plain,
    judgesPolls: values.driver !== "polls",
    dialect,
    dryRun: values.dryRun ?? false,
  };
}

function programProblems(
  { receiver, job }: SettingValues,
  program: string | undefined,
): readonly string[] {
  if (receiver !== undefined) {
    return program === undefined ? [] : ["--receiver and a program are two runs: give one of them"];
  }
  return [
    ...(program === undefined
      ? ["the program is missing: give it after --, as in `queueproof client -- python client.py`"]
      : []),
    ...(job === undefined ? [] : ["--job is for a receiver: give --receiver, too"]),
  ];
}

/** Only what the reference speaks can be asked of it. */
function dialectProblems({ dialect }: SettingValues): readonly string[] {
  const names = referenceDialects.map(({ name }) => name);
  return dialect === undefined || names.includes(dialect)
    ? []
    : [`--dialect must be one of ${names.join(", ")}, which the reference speaks, got ${dialect}`];
}
