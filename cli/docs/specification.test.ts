import { describe, expect, test } from "vitest";
import { requirementIds, requirements } from "../../openapi/requirements.ts";
import { headings, prose } from "../../test/docs/pages.ts";

const page = "docs/specification.md";
const text = prose.get(page) ?? "";

/** Returns the text below a heading of the page, up to the next heading of the same or a higher level. */
function below(title: string): string {
  const [, level = "", rest = ""] = new RegExp(`^(#+) ${title}\\n(.*)`, "ms").exec(text) ?? [];
  return rest.split(new RegExp(`^#{1,${level.length}} `, "m"))[0] ?? "";
}

describe("the page of the specification", () => {
  test("has every requirement once, in the catalogue's order, and no other", () => {
    const entries = headings.get(page)?.filter((title) => /^[A-Z0-9]{4}-\d/.test(title));
    expect(entries).toEqual(requirementIds);
  });

  test.each(requirementIds)("says the level of %s, a sentence, and what conforms", (id) => {
    const { level, accepts } = requirements[id];
    const [sentence = "", ...readings] = below(id).trim().split(/\n+/);
    expect(sentence).toMatch(new RegExp(`^_${level}\\._ \\S.{20,}[.:]$`));
    expect(readings).toEqual(accepts.map((reading) => `- ${reading}`));
  });

  test.each(requirementIds)("names %s in the section that the catalogue gives it", (id) => {
    expect(below(requirements[id].section)).toMatch(new RegExp(`\\b${id}\\b`));
  });
});
