import { isDeepStrictEqual } from "node:util";
import { parseJson } from "../../client/parse-json.ts";
import { show } from "../../harness/show.ts";
import { askedFor, jsonOf, memberOf } from "../recording/recorded-exchange.ts";
import type { RecordedExchange } from "../recording/recorded-exchange.ts";
import { repeatsOf, tooFastMs } from "./repeats.ts";
import { breach, holds, reads, unseen } from "../decision.ts";
import type { Breach, Decision } from "../decision.ts";
import type { ClientScenario, Expectation, ScenarioCopy, ClientScenarioRun } from "./scenario.ts";

/** Judges each program that has ended by itself; the first breach is told. */
function ofEachEnd(judge: (copy: ScenarioCopy, scenario: ClientScenario) => Decision): Expectation {
  return ({ copies, scenario }) => {
    const decisions = copies.map((copy) =>
      copy.end.ranOutOfTime ? endlessness(copy.end) : judge(copy, scenario),
    );
    return decisions.find(({ kind }) => kind === "breaks") ?? holds;
  };
}

/** The program delivers the job's output, unchanged. */
export const delivers: Expectation = ofEachEnd(deliveryOf);

/** It ends with another exit code than 0, in time, and what it prints tells of the cause. */
export const tellsFailure: Expectation = ofEachEnd(({ end }, { words = [] }) => {
  const { exitCode, output } = end;
  if (exitCode === 0) {
    return breach("exit code", "one other than 0, since the job did not complete", got(end));
  }
  return words.length === 0 || words.some((word) => word.test(output.text))
    ? holds
    : breach("what was printed", `a word of the cause: ${wordsText(words)}`, got(end));
});

/** It ends by itself before the scenario's limit, and not with a success. */
export const givesUp: Expectation = ofEachEnd(({ end }) =>
  end.exitCode === 0 ? breach("exit code", "one other than 0", got(end)) : holds,
);

/** It ends by itself, whatever it says. */
export const ends: Expectation = ofEachEnd(() => holds);

/** It ends because its job has ended, and not because its own time is over. */
export const endsWithItsJob: Expectation = ofEachEnd(({ end }, { timeoutMs = 0 }) =>
  end.durationMs < 0.75 * timeoutMs
    ? holds
    : breach(
        "the program",
        "its end soon after that of the job, which took less than 3 s",
        `it ended after ${Math.round(end.durationMs / 1000)} s of ${timeoutMs / 1000} s`,
      ),
);

/** Either the output is delivered, or it fails in time. */
export const deliversOrFails: Expectation = ofEachEnd((copy) =>
  copy.end.exitCode === 0 ? deliveryOf(copy) : holds,
);

/** Each caller's job is submitted so many times at most. */
export function submitsAtMost(times: number): Expectation {
  return (run) => {
    const submissions = ofOperations(run, ["run", "runsync"]);
    const most = times * run.copies.length;
    return submissions.length <= most
      ? holds
      : breach(
          "submissions",
          most === 1 ? "one" : `at most ${most}`,
          `${submissions.length}`,
          submissions[most],
        );
  };
}

/** The trouble happened, and status was asked again after it. */
export const asksStatusAgain: Expectation = (run) => {
  const asked = ofOperations(run, ["status"]);
  if (asked.length === 0) return unseen("status was never asked");
  return asked.length > 1 ? holds : breach("requests of status", "two or more", "1", asked[0]);
};

/** A request that was answered with this status is not sent again unchanged more than once. */
export function notRepeated(status: number): Expectation {
  return (run) => {
    const chain = repeatsOf(run.exchanges, status).find(({ length }) => length > 2);
    if (chain === undefined) return holds;
    return breach(
      `${chain[0]?.method} ${chain[0]?.target}, answered ${status}`,
      "sent at most twice unchanged",
      `${chain.length} times`,
      chain[2],
    );
  };
}

/** A request that is answered with this status again and again is not sent in a loop without pauses. */
export function noLoop(status: number): Expectation {
  return (run) => {
    for (const chain of repeatsOf(run.exchanges, status)) {
      const fast = chain.filter((exchange, index) => {
        const before = chain[index - 1]?.answer;
        return before !== undefined && exchange.arrivedMs - before.beganMs < tooFastMs;
      });
      if (fast.length > 3) {
        return breach(
          `${chain[0]?.method} ${chain[0]?.target}, answered ${status}`,
          "a pause before it is sent again",
          `${fast.length} times within ${tooFastMs} ms`,
          fast[0],
        );
      }
    }
    return holds;
  };
}

/** Both have to hold; the first breach is told. */
export function both(...expectations: readonly Expectation[]): Expectation {
  return (run) => {
    const decisions = expectations.map((expectation) => expectation(run));
    return decisions.find(({ kind }) => kind === "breaks") ?? decisions.at(-1) ?? holds;
  };
}

/** The submission holds what the caller gave, once. */
export const sendsInputAsGiven: Expectation = (run) => {
  const [submission] = ofOperations(run, ["run", "runsync"]);
  const body = submission === undefined ? undefined : jsonOf(submission.body);
  if (submission === undefined || body === undefined) return unseen("nothing was submitted");
  const input = memberOf(body, "input");
  const given = run.copies.map((copy) => copy.input);
  return given.some((each) => isDeepStrictEqual(each, input))
    ? holds
    : breach("input", show(given[0]), show(input), submission);
};

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
    const said = end?.exitCode === 0 ? "exit code 0" : "nothing was said";
    return breach("the program", "an error that says so", said);
  }
  const submissions = ofOperations(run, ["run", "runsync"]).length;
  return reads(submissions > 1 ? "submitted again, at most twice" : "an error that says so");
};

function ofOperations(
  { exchanges, routes }: Pick<ClientScenarioRun, "exchanges" | "routes">,
  operations: readonly string[],
): readonly RecordedExchange[] {
  return exchanges.filter((exchange) => {
    const asked = askedFor(exchange, routes);
    return asked !== undefined && operations.includes(asked.operation);
  });
}

function deliveryOf({ end, output }: ScenarioCopy): Decision {
  if (end.exitCode !== 0) return breach("exit code", "0, with the job's output", got(end));
  const { lastLine } = end.output;
  const delivered = parseJson(lastLine);
  if (delivered === undefined && lastLine !== "null") {
    return breach("the last line", "the job's output as JSON", show(lastLine));
  }
  return isDeepStrictEqual(delivered, output)
    ? holds
    : breach("the output", show(output), show(delivered));
}

function endlessness({ durationMs }: ScenarioCopy["end"]): Breach {
  return breach(
    "the program",
    "its own end",
    `it was still running after ${Math.round(durationMs / 1000)} s and was stopped`,
  );
}

function got({ exitCode, signal, output }: ScenarioCopy["end"]): string {
  const how = exitCode === null ? `the signal ${signal ?? ""}` : `exit code ${exitCode}`;
  const lines = output.text.split("\n").filter((line) => line.trim() !== "");
  const last = lines.findLast((line) => /error/i.test(line)) ?? lines.at(-1);
  return last === undefined ? `${how}, and nothing was printed` : `${how}: ${show(last)}`;
}

function wordsText(words: readonly RegExp[]): string {
  return words.map(({ source }) => source.replaceAll(/[\\^$]|\(\?:|\)/g, "")).join(", ");
}
