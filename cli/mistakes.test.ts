import { describe, expect, test } from "vitest";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

/** A command line and its standard error, in which `.` replaces the working directory. */
const mistakes: readonly (readonly [words: string, ...output: string[]])[] = [
  [
    "contrat",
    'error: unknown command "contrat"; did you mean "contract"?',
    "hint:  Run `queueproof --help`; the commands are contract, load, run, serve, proxy, traffic, client, worker, report, compare, trend, replay, verify, init, completion, list, explain and k6.",
  ],
  [
    "contract --base-ur http://a.test",
    'error: unknown option --base-ur; did you mean "--base-url"?',
    "hint:  Run `queueproof contract --help`.",
  ],
  [
    "contract --seed",
    ["error: --seed needs a value: --seed <n>", "hint:  Run `queueproof contract --help`."].join(
      "\n",
    ),
  ],
  [
    "contract stray",
    "error: too many words for contract: options begin with --",
    "hint:  Run `queueproof contract --help`.",
  ],
  [
    "contract --segment 1/2",
    ["error: unknown option --segment", "hint:  Run `queueproof contract --help`."].join("\n"),
  ],
  [
    "contract --base-url a.test",
    "error: these settings cannot be used:",
    '         --base-url: expected an http or https URL, got "a.test"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --base-url http://127.0.0.1:9",
    "error: these settings cannot be used:",
    "         --endpoint is missing: --base-url without --control needs it",
    "         --api-key is missing: --base-url without --control needs it",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --base-url http://127.0.0.1:9/v2 --endpoint e --api-key a-key-of-my-own",
    "error: these settings cannot be used:",
    "         --base-url ends in /v2, which every request adds: drop /v2 from --base-url",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --base-url http://127.0.0.1:9?x=1 --endpoint e --api-key a-key-of-my-own",
    "error: these settings cannot be used:",
    "         --base-url: expected an http or https URL without a query (?…)",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --endpoint e",
    "error: these settings cannot be used:",
    "         --endpoint needs a target: give --base-url too",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --api-key a-key-of-my-own",
    "error: these settings cannot be used:",
    "         --api-key needs a target: give --base-url too",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --base-url http://127.0.0.1:9 --endpoint e --api-key wrong --foreign-key Webhook",
    "error: these settings cannot be used:",
    "         --api-key is a common word, and reports would show *** wherever that word stands: give the endpoint a key that is none",
    "         --foreign-key is a common word, and reports would show *** wherever that word stands: give the endpoint a key that is none",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --control http://127.0.0.1:9",
    "error: these settings cannot be used:",
    "         --base-url is missing, and --control does not end in /__control to tell it",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --control http://127.0.0.1:9/__control --endpoint e",
    "error: these settings cannot be used:",
    "         --endpoint and --api-key belong together: with --control give both or neither",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --capability handlr",
    "error: these settings cannot be used:",
    '         --capability: expected one of handler, crash, webhook, foreignKey, workers, scaling, allowance, endpoints, clock, hold, openai, requests, quick, slow, failing, known, streaming, ledger, load, got "handlr"; did you mean "handler"?',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --only RUNA-99",
    "error: these settings cannot be used:",
    '         --only RUNA-99 matches no requirement; did you mean "RUNA-01"?',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --only RUNA-01 --skip RUNA-*",
    "error: --only, --profile and --skip leave no requirement to check",
    "hint:  Leave at least one: `queueproof list` shows them.",
  ],
  [
    "contract --require NOPE-01",
    "error: these settings cannot be used:",
    "         --require NOPE-01 matches no requirement",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --time-budget soon",
    "error: these settings cannot be used:",
    '         --time-budget: expected a duration such as 500ms, 30s, 2m or 1h, or full, got "soon"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --timeout 0s",
    "error: these settings cannot be used:",
    '         --timeout: expected a duration of more than 0, such as 500ms, 30s or 2m, got "0s"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --seed x",
    "error: these settings cannot be used:",
    '         --seed: expected an integer from 0 to 4294967295, got "x"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --format pdf",
    "error: these settings cannot be used:",
    '         --format: expected one of html, junit, json, md, har, ctrf, badge, got "pdf"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --json",
    "error: these settings cannot be used:",
    "         --json needs --dry-run; the report of a run is report.json",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --watch --dry-run",
    "error: these settings cannot be used:",
    "         --watch and --dry-run do not fit together: a plan has nothing to run again",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --baseline-update",
    "error: these settings cannot be used:",
    "         --baseline-update needs --baseline FILE to know where to write",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "contract --baseline none.txt",
    "error: the baseline ./none.txt cannot be read",
    "         ENOENT: no such file or directory, open './none.txt'",
    "hint:  Give --baseline a readable file, or make one with --baseline-update.",
  ],
  [
    "contract --config none.json",
    "error: the config file ./none.json cannot be read",
    "         ENOENT: no such file or directory, open './none.json'",
    "hint:  Give --config the path of a readable JSON file.",
  ],
  [
    "contract --dialect none",
    "error: --dialect none is none of spec, runpod, rp-local, and no file can be read there",
    "         ENOENT: no such file or directory, open './none'",
    "hint:  Give the name of a dialect or the path of its file.",
  ],
  [
    "load nope",
    ['error: there is no scenario "nope"', "hint:  `queueproof list --scenarios` shows them."].join(
      "\n",
    ),
  ],
  [
    "load steady",
    'error: there is no scenario "steady"; did you mean "steady-mix"?',
    "hint:  `queueproof list --scenarios` shows them.",
  ],
  [
    "run --segment 1/2",
    "error: these settings cannot be used:",
    "         --segment needs --base-url and --endpoint: all runners send to the same one",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "serve --port 70000",
    "error: these settings cannot be used:",
    "         --port: expected an integer from 0 to 65535, got 70000",
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "serve --fault none",
    'error: there is no fault "none"',
    "hint:  Run `queueproof serve --list-faults`, and give --fault one of them.",
  ],
  [
    "serve --workers many",
    "error: these settings cannot be used:",
    '         --workers: expected a number of workers such as 3, or a range to scale in such as 0-5, got "many"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "serve --speed fast",
    "error: these settings cannot be used:",
    '         --speed: expected an integer from 1 to 100000, got "fast"',
    "hint:  Correct each of them; `queueproof help COMMAND` describes every option.",
  ],
  [
    "explain RUNNA-01",
    'error: there is no requirement "RUNNA-01"; did you mean "RUNA-01"?',
    "hint:  Run `queueproof list` to see every id.",
  ],
  ["explain", ["error: explain needs <id>", "hint:  Run `queueproof explain --help`."].join("\n")],
  ["report", ["error: report needs <files>", "hint:  Run `queueproof report --help`."].join("\n")],
  [
    "report none.json",
    "error: the report none.json cannot be read",
    "         ENOENT: no such file or directory, open './none.json'",
    "hint:  Give the path of a report.json.",
  ],
  [
    "compare one.json",
    ["error: compare needs <new>", "hint:  Run `queueproof compare --help`."].join("\n"),
  ],
  [
    "replay none.json RUNA-01",
    "error: the report none.json cannot be read",
    "         ENOENT: no such file or directory, open './none.json'",
    "hint:  Give the path of a report.json.",
  ],
  [
    "replay none.json",
    ["error: replay needs <id>", "hint:  Run `queueproof replay --help`."].join("\n"),
  ],
  [
    "verify none.json",
    "error: the report none.json cannot be read",
    "         ENOENT: no such file or directory, open './none.json'",
    "hint:  Give the path of a report.json.",
  ],
  [
    "completion powershell",
    'error: there is no completion for "powershell"',
    "hint:  Give one of bash, zsh and fish.",
  ],
  [
    "k6 update",
    'error: k6: expected path or install, got "update"',
    "hint:  Run `queueproof k6 path` or `queueproof k6 install`.",
  ],
];

describe("a mistake on the command line", () => {
  test.each(mistakes.map((row) => [...row]))("%s", async (words = "", ...output) => {
    const workingDirectory = temporaryDirectory();
    const io = fakeIo({ workingDirectory });
    expect(await runCommandLine(words.split(" "), io)).toBe(2);
    expect(io.output()).toBe("");
    expect(io.errors().replaceAll(workingDirectory, ".")).toBe(`${output.join("\n")}\n`);
  });

  test("is told in one style with what to do, each in a few lines", () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(30);
    for (const [, ...output] of mistakes) {
      expect(output.join("\n")).toMatch(
        /^error: (?![A-Z]).*[^\s.]\n(?: {9}.*\n)*hint: {2}\S.*[.)]$/,
      );
      expect(output.length).toBeLessThanOrEqual(12);
    }
  });
});
