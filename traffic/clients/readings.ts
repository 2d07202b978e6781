import { breach, reads } from "../decision.ts";
import { delivers, ofOperations, submitsAtMost, tellsFailure } from "./expectations.ts";
import type { Expectation } from "./scenario.ts";

// Which reading of an open requirement a client shows.

/** CLNT-12: what becomes of a job whose submission was refused for a while. */
export const fateOfRefused: Expectation = (run) => {
  if (delivers(run).kind === "holds") return reads("done once the limit frees");
  const told = tellsFailure(run);
  return told.kind === "breaks" ? told : reads("an error that tells of the 429");
};

/** CLNT-23: how a record with the status ERROR is taken. */
export const readingOfError: Expectation = (run) => {
  const told = tellsFailure(run);
  if (told.kind === "breaks") return told;
  const isUnknown = run.copies.some(({ end }) =>
    /unknown|unexpected|unrecogni[sz]ed|invalid/i.test(end.output.text),
  );
  return reads(isUnknown ? "an unknown state, told as such" : "a failure");
};

/** CLNT-41: what follows a submission whose answer is lost, each time. */
export const fateOfUnanswered: Expectation = (run) => {
  const [{ end } = { end: undefined }] = run.copies;
  const tooOften = submitsAtMost(3)(run);
  if (tooOften.kind === "breaks") return tooOften;
  if (end === undefined || end.ranOutOfTime || end.exitCode === 0 || end.output.text === "") {
    const got = end?.exitCode === 0 ? "exit code 0" : "nothing was said";
    return breach("the program", "an error that says so", got);
  }
  const submissions = ofOperations(run, ["run", "runsync"]).length;
  return reads(submissions > 1 ? "submitted again, at most twice" : "an error that says so");
};
