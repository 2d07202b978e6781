import {
  both,
  delivers,
  fateOfUnanswered,
  sendsInputAsGiven,
  submitsAtMost,
  tellsFailure,
} from "../expectations.ts";
import type { ClientScenario } from "../scenario.ts";
import { first, recordsWith } from "../troubles.ts";
import { afterMs, cause, done, endless, failing, words } from "./jobs-of-scenarios.ts";

/** What a client makes of answers to runsync. */
export const ofRunsync: readonly ClientScenario[] = [
  {
    name: "runsync-plain",
    about: "Nothing is wrong.",
    task: "runsync",
    shows: ["CLNT-01", "CLNT-03", "CLNT-05"],
    decides: { "CLNT-21": delivers, "CLNT-08": sendsInputAsGiven },
  },
  {
    name: "runsync-wait-over",
    about: "runsync is answered IN_PROGRESS after 1 s; the job takes 3 s.",
    task: "runsync",
    handler: afterMs(3_000, done),
    change: () => ({ operations: { waitsForMs: () => 1_000 } }),
    decides: { "CLNT-30": both(submitsAtMost(1), delivers) },
  },
  {
    name: "runsync-kept-a-minute",
    about:
      "The wait of runsync is over after 1 s, and the job takes 20 s: its result is kept for a minute.",
    task: "runsync",
    handler: afterMs(20_000, done),
    change: () => ({ operations: { waitsForMs: () => 1_000 } }),
    timeoutMs: 120_000,
    decides: { "CLNT-26": delivers },
  },
  {
    name: "runsync-failed",
    about: "The job fails; the record that runsync answers says why.",
    task: "runsync",
    handler: failing,
    trouble: recordsWith((record) =>
      record["status"] === "FAILED" ? { ...record, error: cause } : record,
    ),
    words: words.failed,
    decides: { "CLNT-32": tellsFailure },
  },
  {
    name: "runsync-timed-out",
    about: "The job runs into its executionTimeout while runsync waits.",
    task: "runsync",
    handler: endless,
    change: () => ({ lifecycle: { executionTimeoutMs: () => 700 } }),
    words: words.timedOut,
    decides: { "CLNT-32": tellsFailure },
  },
  {
    name: "runsync-held",
    about:
      "The job takes longer than the wait that the client asked for, 90 s where it asked for none.",
    task: "runsync",
    handler: afterMs(92_000, done),
    timeoutMs: 200_000,
    shows: ["CLNT-31"],
    decides: {},
  },
  {
    name: "runsync-slow",
    about: "The answer to runsync takes 10 s.",
    task: "runsync",
    trouble: first("runsync", { delayMs: 10_000 }, 1),
    timeoutMs: 60_000,
    decides: { "CLNT-43": delivers },
  },
  {
    name: "runsync-answer-lost",
    about: "The connection closes before the answer to runsync comes, each time.",
    task: "runsync",
    trouble: first("runsync", { loses: "answer" }),
    decides: { "CLNT-41": fateOfUnanswered },
  },
];
