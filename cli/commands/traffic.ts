import { mergedRecordings } from "../../traffic/recording/read-recording.ts";
import type { ReadingCounts } from "../../traffic/recording/read-recording.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../progress/one-line.ts";
import { reportedRun } from "../reported-run.ts";
import { judgeFor, seenText, trafficReport } from "../traffic-report.ts";
import type { TrafficSettings } from "../settings/traffic.ts";
import { noRepeatLine } from "../../reports/repeat-line.ts";

/**
 * Judges recorded traffic and returns the exit code.
 * @throws CommandError and the errors of recordings and reports, each with its code and hint
 */
export async function traffic(
  files: readonly string[],
  settings: TrafficSettings,
  io: Io,
): Promise<number> {
  const demands = { ...settings, repeatLineOf: noRepeatLine };
  const { exitCode } = await reportedRun(demands, io, async (signal) => {
    const startedAt = new Date();
    const judge = judgeFor(settings);
    const counts: ReadingCounts = { cached: 0, unreadable: 0, firstProblem: undefined };
    for await (const exchange of mergedRecordings(files, counts)) {
      judge.observe(exchange);
      if (signal.aborted) break;
    }
    io.write(`${seenText(judge, "read")}\n`);
    for (const line of countLines(counts)) io.write(`${oneLine(line)}\n`);
    const where = files.join(", ");
    const report = trafficReport(settings, { command: "traffic", judge, where, startedAt });
    return { report: signal.aborted ? { ...report, interrupted: true } : report };
  });
  return exitCode;
}

function countLines({ cached, unreadable, firstProblem = "" }: ReadingCounts): readonly string[] {
  return [
    ...(cached > 0 ? [`${cached} came from a cache, and never reached the server: left out.`] : []),
    ...(unreadable > 0
      ? [`${unreadable} could not be read: left out. The first: ${firstProblem}`]
      : []),
  ];
}
