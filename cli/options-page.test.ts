import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { capabilities } from "../openapi/capabilities.ts";
import { commandRows } from "./command-rows.ts";
import { exitCodeOfError } from "./errors.ts";
import { contractOptions, loadOptions, serveOptions } from "./settings/command-options.ts";
import { longNames, settingNames } from "./settings/options.ts";

const page = readFileSync(new URL("../docs/options.md", import.meta.url), "utf8");
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

function section(title: string): string {
  return page.split(/^## /m).find((part) => part.startsWith(title)) ?? "";
}

describe("the page of the options", () => {
  test.each(contractOptions.flatMap((name) => longNames(name)))(
    "tells %s of contract",
    (option) => {
      expect(section("Options of contract")).toContain(`\`${option}`);
    },
  );

  test.each(loadOptions.flatMap((name) => longNames(name)))("tells %s of load", (option) => {
    const told = section("Options of load") + section("Options of contract");
    expect(told).toContain(`\`${option}`);
  });

  test.each(serveOptions.flatMap((name) => longNames(name)))("tells %s of serve", (option) => {
    expect(section("Options of serve")).toContain(`\`${option}`);
  });

  test("tells every command, and none that does not exist", () => {
    const rows = section("Commands").match(/^\| .*/gm) ?? [];
    const told = rows.flatMap((row) =>
      [...(row.split(" | ")[0] ?? "").matchAll(/`([a-z0-9]+)/g)].map(([, name]) => name),
    );
    const known = commandRows.map(({ usage }) => usage.split(" ")[0]);
    expect(new Set(told)).toEqual(new Set(known));
  });

  test.each([page, readme])("names no option that does not exist", (text) => {
    const known = new Set(settingNames.flatMap(longNames));
    const named = text.match(/(?<=[` ])--[a-z][a-z-]+/g) ?? [];
    const others = new Set(["--config", "--help"]);
    expect(named.filter((option) => !known.has(option) && !others.has(option))).toEqual([]);
  });

  test("tells every exit code", () => {
    const told = section("Exit codes")
      .match(/^\| (\d+) /gm)
      ?.map((cell) => Number(cell.slice(2)));
    expect(told).toEqual([0, 1, 2, 3, 4, 130]);
    expect(Object.values(exitCodeOfError).every((code) => told?.includes(code) === true)).toBe(
      true,
    );
  });

  test.each(capabilities)("tells the capability %s", (name) => {
    expect(section("Capabilities")).toContain(`\`${name}\``);
  });
});

describe("the README", () => {
  test("fits two screens and names no number of requirements", () => {
    expect(readme.split("\n").length).toBeLessThanOrEqual(110);
    expect(readme).not.toMatch(/\b\d{3} (?:normative|requirements|statements)/);
  });

  test("has every command, and checks one's own server by contract first", () => {
    for (const { usage } of commandRows) expect(readme).toContain(usage.split(" ")[0]);
    const [first] = readme.match(/^npx queueproof .*--base-url.*$/m) ?? [];
    expect(first).toMatch(/^npx queueproof contract /);
  });
});
