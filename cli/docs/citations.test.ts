import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesOf } from "../../test/checkout.ts";
import { brokenCitations } from "../../test/docs/citations.ts";
import { root } from "../../test/project.ts";

const tracked = new Set(await filesOf(root));
const kinds = new Set([".ts", ".js", ".md", ".yaml", ".yml", ".py", ".html", ".css", ".json", ""]);
const files = [...tracked].filter((path) => kinds.has(extname(path)));

// The test also reads this file, so wrong citations must not be written out in it.
const outside = "spec".toUpperCase();
const notYet = 16;
const nowhere = "nowhere.md";
const noAnchor = "#rate-limit";

describe("what code and docs cite", () => {
  test("is in the repository", async () => {
    const broken = await Promise.all(
      files.map(async (path) => {
        const text = await readFile(join(root, path), "utf8");
        return brokenCitations(path, text, tracked).map((cited) => `${path}: ${cited}`);
      }),
    );
    expect(broken.flat()).toEqual([]);
  });

  test.each([
    ["a document outside", "src.ts", `// ${outside}.md, Limits`],
    ["a requirement that there is not", "src.ts", `// RATE-${notYet}`],
    ["a page that there is not", "src.ts", `// docs/${nowhere}`],
    ["a section that there is not", "src.ts", `// docs/specification.md${noAnchor}`],
    ["a link to a page that there is not", "docs/load.md", "[a page](nowhere.md)"],
    ["a link to a section that there is not", "docs/load.md", "[here](specification.md#rate)"],
    ["a path that there is not", "docs/load.md", "in `contracts/nowhere.ts`"],
  ])("is noticed when it is %s", (_, path, text) => {
    expect(brokenCitations(path, text, tracked)).toHaveLength(1);
  });

  test.each([
    ["a requirement and a section", "src.ts", "// RATE-09, docs/specification.md#rate-limits"],
    [
      "a link and a path",
      "docs/load.md",
      "[limits](specification.md#limits) of `reference/limits.ts`",
    ],
    ["a folder", "README.md", "[examples](examples/pipelines), `harness/endpoint/`"],
    ["an address", "docs/load.md", "[elsewhere](https://127.0.0.1/nowhere.md)"],
  ])("is left alone when it is %s", (_, path, text) => {
    expect(brokenCitations(path, text, tracked)).toEqual([]);
  });
});
