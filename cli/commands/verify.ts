import { verifyReport } from "../../reports/verify.ts";
import type { Verification } from "../../reports/verify.ts";
import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { oneLine } from "../progress/one-line.ts";
import { readReportText } from "../report-file.ts";
import { toolVersion } from "../../openapi/installation.ts";

const problemsShownMax = 30;

/**
 * Recomputes a report from its own evidence; returns 0 where it is whole and unchanged, else 1.
 * @throws CommandError WRONG_USAGE where it cannot be read
 */
export async function verify(file: string, json: boolean, io: Io): Promise<number> {
  const verification = verifyReport(await readReportText(file, io), toolVersion());
  const { problems, recomputed } = verification;
  const whole = problems.length === 0;
  if (json) {
    const told = { schema: "queueproof-verification/1", file, whole, problems, recomputed };
    io.write(`${JSON.stringify(told, null, 2)}\n`);
  } else {
    io.write(textOf(file, verification, io));
  }
  return whole ? 0 : 1;
}

function textOf(file: string, { problems, recomputed, report }: Verification, io: Io): string {
  const { red, green } = coloursFor(io);
  const { requirements, checks, exchanges } = recomputed;
  const looked =
    report === undefined
      ? []
      : [
          `Recomputed: ${requirements} requirements from ${checks} entries of checks, with ${exchanges} exchanges.`,
        ];
  if (problems.length === 0) {
    return [
      `${file} is ${green("whole and untouched")}.`,
      ...looked,
      `Digest: sha-256 ${report?.integrity?.digest ?? ""}`,
      "",
    ].join("\n");
  }
  const more = problems.length - problemsShownMax;
  return [
    `${file} is ${red("not whole and untouched")}:`,
    ...problems.slice(0, problemsShownMax).map((problem) => `  ${oneLine(problem)}`),
    ...(more > 0 ? [`  and ${more} more; --json lists all`] : []),
    ...looked,
    "Trust none of its verdicts: fetch the report again from where it was written, or run again.",
    "",
  ].join("\n");
}
