import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { blocks } from "../../test/docs/pages.ts";
import { readersDirectory, runLines, startLine } from "../../test/docs/shell.ts";
import { root } from "../../test/project.ts";

const page = "docs/first-run.md";

function textsIn(language: string): readonly string[] {
  return blocks
    .filter((block) => block.page === page && block.language === language)
    .map(({ text }) => text);
}

const duration = /(?<=; seed 1; )[\d.]+ (?:ms|s|min)(?: [\d]+ s)?/;
const learnedIn = /(?<=^Learned in )[\d.]+ (?:ms|s)(?= with )/m;
const triedAgain = /^Tried or sent again:\n(?: .*\n)+\n/m;
const hint = "run `npx vitest run --project full cli/docs/first-run -u`";

test("the first run prints what its page shows", async () => {
  const [serve = "", contract = "", replay = ""] = textsIn("sh");
  const [printed = "", again = ""] = textsIn("text");
  const directory = readersDirectory();
  writeFileSync(join(directory, "mine.json"), textsIn("json")[0] ?? "");
  const started = startLine(serve.replace("--port 8080", "--port 0"), directory);
  const url = await started.printed(/http:\/\/127\.0\.0\.1:\d+/);
  const here = (text: string): string => text.replaceAll("http://127.0.0.1:8080", url);

  const first = await runLines(here(contract), directory);
  expect(first.exitCode).toBe(1);
  // The durations, and the check that waited too long for its turn, differ from run to run.
  const told = first.output
    .replaceAll(directory, "/home/me")
    .replaceAll(url, "http://127.0.0.1:8080")
    .replace(triedAgain, "")
    .replace(learnedIn, learnedIn.exec(printed)?.[0] ?? "")
    .replace(duration, duration.exec(printed)?.[0] ?? "");
  const text = readFileSync(join(root, page), "utf8").replace(printed, () => told);
  await expect(text, hint).toMatchFileSnapshot(join(root, page));

  const variables = contract.split("\n").filter((line) => line.startsWith("export "));
  const second = await runLines(here([...variables, replay].join("\n")), directory);
  expect(second.exitCode).toBe(1);
  expect(second.output.endsWith(again)).toBe(true);
  await started.stop();
}, 300_000);
