import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

import { filesOf } from "./checkout.ts";
import { cyclesOfFolders, importsAgainst, namesOfSeveralTypes } from "./structure.ts";
import type { Sources } from "./structure.ts";
import { root } from "./project.ts";

const files = await filesOf(root);

/** Every wanted file that is written by hand. Cycles of single files are found by oxlint (import/no-cycle). */
function sources(isWanted: (path: string) => boolean): Sources {
  const paths = files
    .filter((path) => path.endsWith(".ts") && !/(?:^|\/)(?:generated|examples)\//.test(path))
    .filter((path) => isWanted(path));
  return new Map(paths.map((path) => [path, readFileSync(`${root}/${path}`, "utf8")]));
}

describe("the project", () => {
  const shipped = sources((path) => !/\.test\.ts$|^test\//.test(path));
  const ofReference = new Map([...shipped].filter(([path]) => path.startsWith("reference/")));

  test("has no top-level folder that takes from itself by way of others", () => {
    expect(cyclesOfFolders(shipped, 1)).toEqual([]);
  });

  test("has no subfolder that takes from itself by way of others", () => {
    expect(cyclesOfFolders(shipped, 2)).toEqual([]);
  });

  test("imports from folders that its architecture lists before", () => {
    const page = readFileSync(`${root}/docs/architecture.md`, "utf8");
    const order = Array.from(page.matchAll(/^\| `(\w+)\/` +\|/gm), ([, folder = ""]) => folder);
    const listed = new Map([...shipped].filter(([path]) => !path.startsWith("proof/")));
    expect(order).toContain("harness");
    expect(importsAgainst(order, listed)).toEqual([]);
    expect(importsAgainst(["openapi", "reference"], ofReference)).toEqual([]);
  });

  test("knows the checksum of every package that it is built with", () => {
    const locked = readFileSync(`${root}/package-lock.json`, "utf8");
    const packages = [...locked.matchAll(/"(node_modules\/[^"]+)": \{([^{}]*)/g)];
    expect(packages.length).toBeGreaterThan(100);
    const unknown = packages.filter(([, , facts = ""]) => !facts.includes('"integrity": "sha512-'));
    expect(unknown.map(([, name]) => name)).toEqual([]);
  });

  test("has no exported type name with two meanings", () => {
    expect(namesOfSeveralTypes(sources(() => true))).toEqual([]);
  });
});

describe("what would break it", () => {
  const folders: Sources = new Map([
    ["a/x/one.ts", 'import { two } from "../y/two.ts";\nimport type { Own } from "./own.ts";'],
    ["a/y/two.ts", 'export type { Three } from "../../b/three.ts";'],
    ["b/three.ts", 'const three = await import("../a/x/one.ts");\nimport "node:fs";'],
    ["a/y/apart.ts", 'import { z } from "../z/z.ts";'],
  ]);

  test("a cycle of folders is named by its imports", () => {
    expect(cyclesOfFolders(folders, 1)).toEqual([
      "a/y/two.ts -> b/three.ts",
      "b/three.ts -> a/x/one.ts",
    ]);
    expect(cyclesOfFolders(folders, 2)).toEqual([]);
    const closed = new Map([...folders, ["a/z/z.ts", 'import "../x/one.ts";']]);
    expect(cyclesOfFolders(closed, 2)).toEqual([
      "a/x/one.ts -> a/y/two.ts",
      "a/y/apart.ts -> a/z/z.ts",
      "a/z/z.ts -> a/x/one.ts",
    ]);
  });

  test("an import from a folder that is listed later, or not at all, is named", () => {
    expect(importsAgainst(["b", "a"], folders)).toEqual(["b/three.ts -> a/x/one.ts"]);
    expect(importsAgainst(["a"], folders)).toEqual([
      "a/y/two.ts -> b/three.ts",
      "b/three.ts -> a/x/one.ts",
    ]);
  });

  test("a type that two files declare is named with them, one that is exported again is not", () => {
    const named: Sources = new Map([
      ["a.ts", "export interface Call {}\nexport type Other = 1;"],
      ["b.ts", "export abstract class Call {}\nexport type { Other } from './a.ts';"],
    ]);
    expect(namesOfSeveralTypes(named)).toEqual(["Call: a.ts, b.ts"]);
  });
});
