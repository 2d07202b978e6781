import { describe, expect, test } from "vitest";
import { requirementIds } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { notRunGroupsOf } from "../groups.ts";
import { lackingReason } from "../not-run.ts";
import { hostileMegabyte, hostileTexts } from "../../test/reports/arbitrary-results.ts";
import {
  hostileResult,
  evidenceOf,
  resultOf,
  sampleReport,
  sampleResults,
} from "../../test/reports/sample-results.ts";
import { attributeOf, readPage, textOf, type Page } from "../../test/reports/read-back.ts";
import { writeHtml } from "./write-html.ts";

function withTag(page: Page, tag: string): Page["elements"] {
  return page.elements.filter(({ tagName }) => tagName === tag);
}

describe("report.html", () => {
  test("has every requirement under its deep link, with its verdict", () => {
    const report = sampleReport();
    const page = readPage(writeHtml(report));

    const shown = withTag(page, "details")
      .filter((element) => attributeOf(element, "class") === "requirement")
      .map((element) => [attributeOf(element, "id"), attributeOf(element, "data-verdict")]);
    expect(shown).toEqual(report.requirements.map(({ id, verdict }) => [id, verdict]));
    expect(shown).toHaveLength(requirementIds.length);
  });

  test("shows of a failure what was expected and got, the exchanges and how to repeat it", () => {
    const page = readPage(writeHtml(sampleReport()));
    const entry = page.elements.find((element) => attributeOf(element, "id") === "AUTH-06");
    const text = entry === undefined ? "" : textOf(entry);

    for (const part of ["health /jobs/inQueue", "401", '"error": "unauthorized"', "set-cookie"]) {
      expect(text).toContain(part);
    }
    expect(text).toContain("the connection was reset");
    expect(text).toContain("curl -sS http://127.0.0.1:8080/v2/ep-1/health");
  });

  test("shows what stands between backticks as code, and no backtick", () => {
    const reason = "decided by `queueproof load`";
    const not = { covers: ["RUNA-01"], verdict: "not-run", reason } as const;
    const page = readPage(
      writeHtml(sampleReport([resultOf("c", not)], { notRunReason: () => reason })),
    );
    const body = page.elements.find(({ tagName }) => tagName === "main");
    expect(body === undefined ? "" : textOf(body)).toContain("decided by queueproof load");
    expect(body === undefined ? "`" : textOf(body)).not.toContain("`");
  });

  test("shows the whole of what needs jobs of many kinds, in the words of every format", () => {
    const kinds = [["quick"], ["slow"], ["failing"], ["known"], ["streaming"], ["quick", "slow"]];
    const more = [...kinds, ["quick", "failing"], ["slow", "failing"]];
    const notRunReason = (id: RequirementId): string =>
      lackingReason(more[requirementIds.indexOf(id) % more.length] ?? []);
    const report = sampleReport([], { notRunReason });
    const [group] = notRunGroupsOf(report);
    const body = readPage(writeHtml(report)).elements.find(({ tagName }) => tagName === "main");
    expect(group?.text).toMatch(/need jobs of your workers: .* a `slow` and a `failing` one/);
    expect(body === undefined ? "" : textOf(body)).toContain(group?.text.replaceAll("`", ""));
  });

  test("is one file: it loads nothing, and links only within itself", () => {
    const page = readPage(writeHtml(sampleReport()));
    const attributes = page.elements.flatMap(({ attrs }) => attrs);

    expect(attributes.filter(({ name }) => name === "src")).toEqual([]);
    expect(withTag(page, "link")).toEqual([]);
    const links = attributes.filter(({ name }) => name === "href").map(({ value }) => value);
    const ids = new Set(page.elements.map((element) => `#${attributeOf(element, "id") ?? ""}`));
    expect(links.filter((link) => !ids.has(link))).toEqual([]);
    expect(writeHtml(sampleReport())).not.toMatch(/url\(|@import/u);
  });

  test("has ids, and label and heading targets, once each", () => {
    const page = readPage(writeHtml(sampleReport()));
    const ids = page.elements.flatMap((element) => attributeOf(element, "id") ?? []);

    expect(new Set(ids).size).toBe(ids.length);
    const named = page.elements.flatMap((element) => attributeOf(element, "aria-labelledby") ?? []);
    expect(named.filter((id) => !ids.includes(id))).toEqual([]);
  });

  test("is well-formed for the parser of a browser", () => {
    expect(readPage(writeHtml(sampleReport())).errors).toEqual([]);
  });

  test("is unmoved by a hostile report: one script, no handler, no new element", () => {
    const results = [...hostileTexts, hostileMegabyte].map(hostileResult);
    const html = writeHtml(sampleReport(results));
    const page = readPage(html);

    expect(page.errors).toEqual([]);
    const kinds = withTag(page, "script").map((element) => attributeOf(element, "type"));
    expect(kinds).toEqual(["application/json", undefined]);
    expect(withTag(page, "style")).toHaveLength(1);
    for (const tag of ["img", "svg", "b", "em"]) expect(withTag(page, tag)).toEqual([]);
    const names = page.elements.flatMap(({ attrs }) => attrs.map(({ name }) => name));
    expect(names.filter((name) => name.startsWith("on"))).toEqual([]);
    expect(Buffer.from(html, "utf8").toString("utf8")).toBe(html);
    expect(html).not.toMatch(/[\p{Bidi_Control}\p{Surrogate}]|(?![\t\n])\p{Control}/u);
  });

  test("says where it has cut", () => {
    const html = writeHtml(sampleReport([hostileResult(hostileMegabyte, 0)]));

    expect(html).toContain("characters in all]");
  });

  test("shows no button to copy a script of which it shows a part", () => {
    const script = "x".repeat(10_000);
    const html = writeHtml(
      sampleReport(sampleResults.map((each) => Object.assign({}, each, { script }))),
    );

    expect(html).toContain("The rest is in report.json.");
    expect(html).not.toContain("Copy the script");
  });

  test.each([
    { kind: "of which some fail", failing: 50 },
    { kind: "that all fail", failing: 1000 },
  ])("stays below 1.5 MB with 1000 checks $kind", ({ failing }) => {
    const results = Array.from({ length: 1000 }, (_, index) => {
      const id = requirementIds[index % requirementIds.length] ?? "AUTH-01";
      return resultOf(`area/check-with-a-usual-name-${index}`, {
        title: "a sentence of a usual length that says what the check is about",
        covers: [id],
        ...(index < failing && {
          verdict: "fail",
          mismatches: [{ requirement: id, at: "run", expected: "y", got: hostileMegabyte }],
          evidence: Array.from({ length: 20 }, () => evidenceOf("run", 200, hostileMegabyte)),
        }),
      });
    });
    expect(Buffer.byteLength(writeHtml(sampleReport(results)))).toBeLessThan(1_500_000);
  });
});
