import type { CheckResult } from "../../reports/model.ts";
import { differenceText } from "../../reports/sentence.ts";
import { coloursFor } from "../colours.ts";
import type { Io } from "../io.ts";
import { oneLine } from "./one-line.ts";

/** Prints failures as they occur, what is found again and again once; with `verbose` every result, and how far it is. */
export function tellResults(
  io: Io,
  verbose: boolean,
  unit = "scenarios",
): (results: readonly CheckResult[], done: number, of: number) => void {
  const { red, green, yellow } = coloursFor(io);
  const words = { fail: red("fail"), pass: green("pass"), inconclusive: yellow("inconclusive") };
  const told = new Set<string>();
  return (results, done, of) => {
    for (const { name, covers, verdict, cause, mismatches = [] } of results) {
      if (verdict === "not-run" || (verdict !== "fail" && !verbose)) continue;
      const [first] = mismatches;
      const why = first === undefined ? "" : `: ${differenceText(first)}`;
      const line = `${covers.join(", ")}${why}`;
      if (told.has(cause ?? line) && !verbose) continue;
      told.add(cause ?? line);
      io.write(`${words[verdict]} ${covers.join(", ")} in ${name}${oneLine(why)}\n`);
    }
    if (verbose) io.write(`${done} of ${of} ${unit}\n`);
  };
}
