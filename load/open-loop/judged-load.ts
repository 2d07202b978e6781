import type { LoadResult } from "../../reports/model.ts";

/** An entry of the report that has a verdict of its own. */
export type JudgedLoad = LoadResult & Required<Pick<LoadResult, "verdict" | "answer" | "question">>;

/** What all entries of a scenario have in common. */
export function headOf({
  entry,
  question,
  engine = "probe",
}: {
  /** The name of the entry. */
  readonly entry: string;
  readonly question: string;
  readonly engine?: LoadResult["engine"];
}): Pick<JudgedLoad, "scenario" | "engine" | "question" | "requirements"> {
  return { scenario: entry, engine, question, requirements: [] };
}

/** The verdict of an entry that has no answer. */
export function notAnswered(
  verdict: "not-run" | "inconclusive",
  reason: string,
): Pick<JudgedLoad, "verdict" | "answer"> & Pick<LoadResult, "reason"> {
  return { verdict, reason, answer: `Not answered: ${reason}.` };
}
