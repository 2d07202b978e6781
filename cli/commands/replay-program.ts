import type { Report } from "../../reports/model.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { clientSettings } from "../settings/client.ts";
import type { Flags } from "../settings/sources.ts";
import { workerSettings } from "../settings/worker.ts";
import { client } from "./client.ts";
import type { Replay } from "./replay.ts";
import { worker } from "./worker.ts";

/**
 * Judges a client or a worker again by one requirement of a report, with the program that was typed: a report may come from anywhere,
 * so that nothing is run that it names.
 * @throws CommandError WRONG_USAGE where the report is of traffic, or the program is missing
 */
export async function replayProgram(
  report: Report,
  { file, id, command, given }: Replay,
  io: Io,
): Promise<number> {
  if (report.command === "worker") return replayWorker(report, { file, id, command, given }, io);
  if (report.command !== "client") {
    throw new CommandError(
      "WRONG_USAGE",
      `${file} is about traffic of others, which is not sent again`,
      {
        hint: "Judge a recording again by `queueproof traffic FILE`.",
      },
    );
  }
  const isOfReceiver = report.requirements.some(({ checks }) =>
    checks.some(({ name }) => name.startsWith("receiver/")),
  );
  if (isOfReceiver || command.length === 0) {
    const how = isOfReceiver
      ? `queueproof client --receiver URL --only ${id}`
      : `queueproof replay ${file} ${id} -- COMMAND`;
    throw nothingToStart(file, how);
  }
  const { settings = {}, dialect = "spec", target } = report;
  const again: Flags = {
    tasks: target.capabilities,
    dialect,
    ...(settings.plain === true && { plain: true }),
    ...(settings.driver !== undefined && { driver: settings.driver }),
    report: "reports/replay",
    ...given.flags,
    only: [id],
  };
  return client(clientSettings(command, { ...given, flags: again }, io), io);
}

async function replayWorker(
  { settings = {} }: Report,
  { file, id, command, given }: Replay,
  io: Io,
): Promise<number> {
  if (command.length === 0)
    throw nothingToStart(file, `queueproof replay ${file} ${id} -- COMMAND`);
  const tests = settings.tests === undefined ? {} : { tests: settings.tests };
  const flags: Flags = { ...tests, report: "reports/replay", ...given.flags, only: [id] };
  return worker(workerSettings(command, { ...given, flags }, io), io);
}

function nothingToStart(file: string, how: string): CommandError {
  return new CommandError("WRONG_USAGE", `${file} does not say what to start`, {
    hint: `Give it: \`${how}\`. Nothing that a report names is run.`,
  });
}
