import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { capabilities } from "../openapi/index.ts";
import { commandRows } from "./command-rows.ts";
import { exitCodeOfError } from "./errors.ts";
import { contractOptions, serveOptions } from "./settings/command-options.ts";
import { longNames, settingNames } from "./settings/options.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

function section(title: string): string {
  return readme.split(/^## /m).find((part) => part.startsWith(title)) ?? "";
}

describe("the README", () => {
  test.each(contractOptions.flatMap((name) => longNames(name)))(
    "tells %s of contract",
    (option) => {
      expect(section("Options of contract")).toContain(`\`${option}`);
    },
  );

  test.each(serveOptions.flatMap((name) => longNames(name)))("tells %s of serve", (option) => {
    expect(section("A local server")).toContain(`\`${option}`);
  });

  test("tells every command, and none that does not exist", () => {
    const rows = section("Commands").match(/^\| .*/gm) ?? [];
    const told = rows.flatMap((row) =>
      [...(row.split(" | ")[0] ?? "").matchAll(/`([a-z0-9]+)/g)].map(([, name]) => name),
    );
    const known = commandRows.map(({ usage }) => usage.split(" ")[0]);
    expect(new Set(told)).toEqual(new Set(known));
  });

  test("names no option that does not exist", () => {
    const known = new Set(settingNames.flatMap(longNames));
    const named = readme.match(/(?<=[` ])--[a-z][a-z-]+/g) ?? [];
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
