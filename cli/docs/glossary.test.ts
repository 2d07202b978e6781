import { expect, test } from "vitest";
import { prose } from "../../test/docs/pages.ts";

const rows =
  prose
    .get("docs/glossary.md")
    ?.match(/^\| [a-z].*/gm)
    ?.slice(1) ?? [];
const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));

test("the glossary is short, in alphabetical order, and says where each term lives", () => {
  const terms = cells.map(([, term = ""]) => term);
  expect(terms).toContain("target");
  expect(terms.length).toBeLessThan(25);
  expect(terms).toEqual(terms.toSorted((a, b) => a.localeCompare(b)));
  expect(cells.filter(([, , meaning, place]) => meaning === "" || place === "")).toEqual([]);
});
