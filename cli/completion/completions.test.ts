import { describe, expect, test } from "vitest";
import { requirementIds } from "../../openapi/requirements.ts";
import { commandRows } from "../command-rows.ts";
import { scenarioRows } from "../load-scenarios.ts";
import { runCommandLine } from "../program.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { completions } from "./completions.ts";

const auth = requirementIds.filter((id) => id.startsWith("AUTH-"));

describe("the last word", () => {
  test.each([
    { words: ["comp"], offered: ["compare", "completion"] },
    { words: ["contract", "--base"], offered: ["--base-url", "--baseline", "--baseline-update"] },
    { words: ["contract", "--profile", "core,st"], offered: ["core,streaming", "core,storage"] },
    { words: ["contract", "--only", "auth-0"], offered: auth },
    { words: ["contract", "--only", "AUTH-*,CONC-*"], offered: ["AUTH-*,CONC-*"] },
    { words: ["run", "--dialect", "r"], offered: ["runpod", "rp-local"] },
    { words: ["report", "a.json", "--format", "html,ju"], offered: ["html,junit"] },
    { words: ["contract", "--capability", "cl"], offered: ["clock"] },
    { words: ["explain", "AUTH-"], offered: auth },
    { words: ["replay", "r.json", "ENDP-02"], offered: ["ENDP-02"] },
    { words: ["replay", "--api-key", "k", "r.json", "ENDP-02"], offered: ["ENDP-02"] },
    { words: ["completion", ""], offered: ["bash", "zsh", "fish"] },
    { words: ["load", "ste"], offered: ["steady-mix"] },
    { words: ["load", "steady-mix", "soa"], offered: ["soak"] },
    { words: ["replay", ""], offered: [] },
    { words: ["contract", "--report", ""], offered: [] },
    { words: ["none-such", ""], offered: [] },
  ])("of $words may be $offered", ({ words, offered }) => {
    expect(completions(words, commandRows)).toEqual(offered);
  });

  test("of nothing at all may be every command", () => {
    const names = commandRows.map(({ usage }) => usage.split(" ")[0]);
    expect(completions([""], commandRows)).toEqual(expect.arrayContaining(names));
  });
});

test("every scenario, and nothing else, is offered to load", () => {
  expect(completions(["load", ""], commandRows)).toEqual(scenarioRows().map(({ name }) => name));
});

test("a shell that is none of the three is answered with those there are", async () => {
  const io = fakeIo();
  expect(await runCommandLine(["completion", "zhs"], io)).toBe(2);
  expect(io.errors()).toContain("Give one of bash, zsh and fish.");
});
