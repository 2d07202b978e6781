import { isRequirementId } from "../openapi/requirements.ts";
import type { Report } from "../reports/model.ts";
import { runOnce } from "./commands/contract.ts";
import type { FinishedRun } from "./reported-run.ts";
import { CommandError, describeError } from "./errors.ts";
import { interruptedExitCode } from "./interruption.ts";
import { coloursFor } from "./colours.ts";
import type { Io } from "./io.ts";
import type { ContractCommandSettings, RunCommand } from "./settings/contract.ts";

interface Watched {
  readonly exitCode: number;
  /** Absent until a run has ended with a report. */
  readonly report?: Report | undefined;
}

/**
 * Runs, then runs again at key presses until q: `r` or Enter for what failed or was tried and not decided, `a` for everything. Reruns are merged
 * into the report, so it always covers every requirement. A target that is down does not end the watch, since it may
 * be back at the next key. Returns the exit code of the last run.
 * @throws CommandError WRONG_USAGE where nobody can press a key
 */
export async function watchRuns(
  settings: ContractCommandSettings,
  io: Io,
  command: RunCommand,
): Promise<number> {
  const { input } = io;
  if (input === undefined) {
    throw new CommandError("WRONG_USAGE", "--watch needs a terminal: nobody can press a key here", {
      hint: "Leave --watch out, or run it on a terminal.",
    });
  }
  let last = await attempt(async () => runOnce(settings, { io, command }), io);
  while (last.exitCode !== interruptedExitCode) {
    const unsettled = unsettledIn(last);
    io.write(promptText(unsettled.length, io));
    const key = await input.readKey();
    io.write("\n");
    if (quitKeys.has(key)) return last.exitCode;
    const { report } = last;
    if (key === "a" || (againKeys.has(key) && report === undefined)) {
      last = await attempt(async () => runOnce(settings, { io, command }), io, report);
    } else if (againKeys.has(key) && unsettled.length > 0) {
      const some = { ...settings, only: unsettled, skip: [] };
      last = await attempt(async () => runOnce(some, { io, command, into: report }), io, report);
    }
  }
  return last.exitCode;
}

const quitKeys: ReadonlySet<string> = new Set(["q", "Q", "\u0003", "\u0004"]);
const againKeys: ReadonlySet<string> = new Set(["r", "R", "\r", "\n"]);

function unsettledIn({ report }: Watched): ContractCommandSettings["only"] {
  const unsettled = report?.requirements.filter(
    ({ verdict }) => verdict === "fail" || verdict === "inconclusive",
  );
  return unsettled?.map(({ id }) => id).filter(isRequirementId) ?? [];
}

async function attempt(run: () => Promise<FinishedRun>, io: Io, before?: Report): Promise<Watched> {
  try {
    return await run();
  } catch (error) {
    const { lines, exitCode } = describeError(error);
    if (exitCode === 2) throw error;
    io.writeError(`${lines.join("\n")}\n`);
    return { exitCode, report: before };
  }
}

function promptText(unsettled: number, io: Io): string {
  const { bold } = coloursFor(io);
  const again =
    unsettled === 0 ? "all is settled" : `${bold("r")} what is not settled (${unsettled})`;
  return `\nAgain: ${again}, ${bold("a")} everything, ${bold("q")} quit `;
}
