import {
  delivers,
  deliversOrFails,
  ends,
  readingOfError,
  sendsInputAsGiven,
  tellsFailure,
} from "../expectations.ts";
import type { ClientScenario } from "../scenario.ts";
import { cancelledByOthers, notFound, oddIds, recordsWith, rewriting, shows } from "../troubles.ts";
import { afterMs, cause, done, endless, failing, words } from "./jobs-of-scenarios.ts";

const large = "0123456789abcdef".repeat(562_500);

const outputs: readonly (readonly [name: string, output: unknown])[] = [
  ["array", [1, "two", { three: 3 }]],
  ["nested", { a: [{ b: { c: [[], {}, null, false, 0, -1.5e-7] } }] }],
  ["empty-object", {}],
  ["empty-array", []],
  ["unicode", { text: 'naïve – 日本語 – 👩‍👩‍👧 – \u2028 – "\\/\b' }],
  ["large", { text: large }],
];

/** Output of another kind conforms, too, but nobody says what a client makes of it. */
const scalars: readonly (readonly [name: string, output: unknown])[] = [
  ["text", "just text"],
  ["number", 42],
  ["false", false],
];

/** What a client makes of records. */
export const ofResults: readonly ClientScenario[] = [
  {
    name: "plain",
    about: "Nothing is wrong.",
    task: "run",
    shows: ["CLNT-01", "CLNT-03", "CLNT-04", "CLNT-05", "CLNT-06", "CLNT-24", "CLNT-25", "CLNT-29"],
    decides: { "CLNT-08": sendsInputAsGiven, "CLNT-20": delivers, "CLNT-21": delivers },
  },
  {
    name: "slow-states",
    about: "Three reads show IN_QUEUE and three IN_PROGRESS before the job has ended.",
    task: "run",
    trouble: shows([...Array<string>(3).fill("IN_QUEUE"), ...Array<string>(3).fill("IN_PROGRESS")]),
    timeoutMs: 60_000,
    decides: { "CLNT-20": delivers },
  },
  {
    name: "long-job",
    about: "The job takes 3 s.",
    task: "run",
    handler: afterMs(3_000, done),
    timeoutMs: 30_000,
    shows: ["CLNT-25"],
    decides: { "CLNT-20": delivers },
  },
  ...outputs.map(([name, output]): ClientScenario => ({
    name: `output-${name}`,
    about: `The output is ${name === "large" ? "9 MB" : `one of the kind: ${name}`}.`,
    task: "run",
    output,
    timeoutMs: 60_000,
    decides: { "CLNT-21": delivers },
  })),
  ...scalars.map(([name, output]): ClientScenario => ({
    name: `output-${name}`,
    about: `The output is a single value: ${name}.`,
    task: "run",
    output,
    decides: { "CLNT-20": ends },
  })),
  {
    name: "failed",
    about: "The job fails; its record says why.",
    task: "run",
    handler: failing,
    trouble: recordsWith((record) =>
      record["status"] === "FAILED" ? { ...record, error: cause } : record,
    ),
    words: words.failed,
    decides: { "CLNT-22": tellsFailure },
  },
  {
    name: "timed-out",
    about: "The job runs into its executionTimeout.",
    task: "run",
    handler: endless,
    change: () => ({ lifecycle: { executionTimeoutMs: () => 700 } }),
    words: words.timedOut,
    decides: { "CLNT-22": tellsFailure },
  },
  {
    name: "cancelled",
    about: "Somebody else cancels the job.",
    task: "run",
    handler: endless,
    trouble: cancelledByOthers,
    words: words.cancelled,
    decides: { "CLNT-22": tellsFailure },
  },
  {
    name: "state-error",
    about: "The job's record says ERROR.",
    task: "run",
    trouble: recordsWith(({ id }) => ({ id, status: "ERROR" }), ["status"]),
    words: [/ERROR/],
    decides: { "CLNT-23": readingOfError },
  },
  {
    name: "unknown-members",
    about: "Records have members that no specification knows.",
    task: "run",
    trouble: recordsWith((record) => ({
      traceId: "7f3a",
      ...record,
      worker: { region: "north", tags: [null] },
      progress: 0.5,
    })),
    decides: { "CLNT-27": delivers },
  },
  {
    name: "no-times",
    about: "Records have neither delayTime nor executionTime.",
    task: "run",
    trouble: recordsWith(({ delayTime: _delay, executionTime: _execution, ...rest }) => rest),
    decides: { "CLNT-27": delivers },
  },
  {
    name: "several",
    about: "Four programs submit jobs of their own at the same time.",
    task: "run",
    copies: 4,
    outputOf: ({ prompt }) => ({ answer: prompt }),
    timeoutMs: 40_000,
    decides: { "CLNT-28": delivers },
  },
  {
    name: "odd-id",
    about: "A job's id has characters that a path has to encode.",
    task: "run",
    trouble: oddIds,
    shows: ["CLNT-07"],
    decides: { "CLNT-20": deliversOrFails },
  },
  {
    name: "expired",
    about: "The result is gone before it is read: status answers 404 after IN_PROGRESS.",
    task: "run",
    trouble: () => (request) => {
      if (request.operation !== "status") return undefined;
      return request.before < 2
        ? { rewrite: rewriting(({ id }) => ({ id, status: "IN_PROGRESS" })) }
        : notFound;
    },
    words: words.missing,
    decides: { "CLNT-26": tellsFailure },
  },
];
