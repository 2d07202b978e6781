import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import { describe, expect, test } from "vitest";
import { browserMissing, startBrowser } from "../../test/browser.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { sampleLoad } from "../../test/reports/sample-load.ts";
import { sampleReport, sampleResults } from "../../test/reports/sample-results.ts";
import { trendEntryOf } from "../trend/trend-entry.ts";
import { trendOf } from "../trend/trend.ts";
import { writeTrend } from "./trend-page.ts";

const missing = browserMissing();

/** Reports of as many days, in which what fails passes every third day. */
function pageOf(days: number): string {
  const entries = Array.from({ length: days }, (_, at) => {
    const passes = at % 3 === 0;
    const results = sampleResults.filter(({ verdict }) => !passes || verdict !== "fail");
    const startedAt = new Date(Date.UTC(2026, 0, at + 1)).toISOString();
    const report = sampleReport(results, { load: sampleLoad(), startedAt });
    return trendEntryOf(JSON.stringify(report), `${at}/report.json`);
  });
  return writeTrend(trendOf(entries.filter((entry) => entry !== undefined)), "the target");
}

describe.skipIf(missing !== "")(`trend.html in a browser ${missing}`, () => {
  test("shows 500 reports, asks for nothing and is accessible", async () => {
    const path = join(temporaryDirectory(), "trend.html");
    writeFileSync(path, pageOf(500));
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const incidents: string[] = [];
      page.on("console", (message) => incidents.push(message.text()));
      page.on("pageerror", (error) => incidents.push(String(error)));
      page.on("request", (request) => {
        if (request.url() !== pathToFileURL(path).href) incidents.push(request.url());
      });
      await page.goto(pathToFileURL(path).href);
      expect(await page.locator("h1").textContent()).toMatch(/broken|Nothing/);
      expect(await page.locator("section[aria-labelledby=reports] tbody tr").count()).toBe(500);
      expect(await page.locator("polyline").count()).toBeGreaterThan(1);
      expect(incidents).toEqual([]);
      await page.evaluate(axe.source);
      const violations = await page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id }) => id))",
      );
      expect(violations).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
