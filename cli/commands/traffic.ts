import { writeFile } from "node:fs/promises";
import type { Mix } from "../../load/open-loop/mix.ts";
import { surface } from "../../reference/behaviour/surface.ts";
import { RecordedMix } from "../../traffic/recorded-mix.ts";
import { mergedRecordings } from "../../traffic/recording/read-recording.ts";
import type { ReadingCounts } from "../../traffic/recording/read-recording.ts";
import { CommandError, wrongUsageBy } from "../errors.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../progress/one-line.ts";
import { reportedRun } from "../reported-run.ts";
import { judgeFor, seenText, trafficReport } from "../traffic-report.ts";
import type { RecordingSettings } from "../settings/traffic.ts";
import { noRepeatLine } from "../../reports/repeat-line.ts";

/**
 * Judges recorded traffic and returns the exit code.
 * @throws CommandError and the errors of recordings and reports, each with its code and hint
 */
export async function traffic(
  files: readonly string[],
  settings: RecordingSettings,
  io: Io,
): Promise<number> {
  const demands = { ...settings, repeatLineOf: noRepeatLine };
  const { exitCode } = await reportedRun(demands, io, async (signal) => {
    const startedAt = new Date();
    const judge = judgeFor(settings);
    const mix = new RecordedMix(surface.routes);
    const counts: ReadingCounts = { cached: 0, unreadable: 0, firstProblem: undefined };
    for await (const exchange of mergedRecordings(files, counts)) {
      judge.observe(exchange);
      mix.observe(exchange);
      if (signal.aborted) break;
    }
    io.write(`${seenText(judge, "read")}\n`);
    for (const line of countLines(counts)) io.write(`${oneLine(line)}\n`);
    if (settings.mixFile !== undefined) await writeMix(mix.end(), settings.mixFile, io);
    const where = files.join(", ");
    const report = trafficReport(settings, { command: "traffic", judge, where, startedAt });
    return { report: signal.aborted ? { ...report, interrupted: true } : report };
  });
  return exitCode;
}

/** @throws CommandError WRONG_USAGE where it cannot be written, or the traffic shows no rates */
async function writeMix(mix: Mix | undefined, file: string, io: Io): Promise<void> {
  if (mix === undefined) {
    throw new CommandError("WRONG_USAGE", "no mix can be told from this traffic", {
      hint: "Give a recording in which two requests of the API or more are apart in time.",
    });
  }
  try {
    await writeFile(file, `${JSON.stringify(mix, null, 2)}\n`);
  } catch (cause) {
    throw wrongUsageBy(cause, "the mix cannot be written", "Give --write-mix the path of a file.");
  }
  io.write(`Its mix: ${oneLine(file)}\n`);
}

function countLines({ cached, unreadable, firstProblem = "" }: ReadingCounts): readonly string[] {
  return [
    ...(cached > 0 ? [`${cached} came from a cache, and never reached the server: left out.`] : []),
    ...(unreadable > 0
      ? [`${unreadable} could not be read: left out. The first: ${firstProblem}`]
      : []),
  ];
}
