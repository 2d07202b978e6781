import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { requirementIds } from "../../openapi/requirements.ts";
import type { Report } from "../model.ts";
import { browserMissing, startBrowser } from "../../test/browser.ts";
import { hostileMegabyte, hostileTexts } from "../../test/reports/arbitrary-results.ts";
import {
  hostileResult,
  sampleReport,
  sampleResults,
  sampleTimelines,
} from "../../test/reports/sample-results.ts";
import { hostileLoad, sampleLoad } from "../../test/reports/sample-load.ts";
import { writeHtml } from "./write-html.ts";

const missing = browserMissing();

/** The sample report with a timeline of its failure and with load. */
function fullReport(): Report {
  const results = sampleResults.map((result) =>
    result.verdict === "fail" ? Object.assign({}, result, { timelines: sampleTimelines }) : result,
  );
  return sampleReport(results, { command: "run", load: sampleLoad() });
}

async function shownIds(page: Page): Promise<readonly (string | null)[]> {
  const shown = page.locator("details.requirement:not([hidden])");
  return Promise.all((await shown.all()).map(async (each) => each.getAttribute("id")));
}

describe.skipIf(missing !== "")(`report.html in a browser ${missing}`, () => {
  let browser: Browser;
  let directory: string;

  beforeAll(async () => {
    browser = await startBrowser();
    directory = await mkdtemp(path.join(tmpdir(), "queueproof-page-"));
  });

  afterAll(async () => {
    await browser.close();
    await rm(directory, { recursive: true });
  });

  interface Opened {
    readonly page: Page;
    /** Errors, dialogs and requests, none of which the page may cause. */
    readonly incidents: string[];
  }

  /** Opens the report from disk and records everything that it must not do. */
  async function opened(
    report: Report,
    { hash = "", ...options }: BrowserContextOptions & { readonly hash?: string } = {},
  ): Promise<Opened> {
    const file = path.join(directory, `${crypto.randomUUID()}.html`);
    await writeFile(file, writeHtml(report));
    const page = await browser.newPage(options);
    const incidents: string[] = [];
    page.on("pageerror", (error) => incidents.push(`error: ${error.message}`));
    page.on("console", (message) => incidents.push(`console: ${message.text()}`));
    page.on("dialog", (dialog) => {
      incidents.push("dialog");
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) incidents.push(`request: ${request.url()}`);
    });
    await page.goto(pathToFileURL(file).href + hash);
    await page.waitForSelector("html[data-ready]");
    return { page, incidents };
  }

  test("opens from disk, asks nothing of a network and complains of nothing", async () => {
    const { page, incidents } = await opened(fullReport());

    expect(await page.locator("h1").textContent()).toContain(
      `2 of ${requirementIds.length} hold, 2 are broken`,
    );
    expect(await page.locator(".matrix .cell").count()).toBe(requirementIds.length);
    expect(incidents).toEqual([]);
  });

  test("filters by verdict, level, area and text, and keeps that over a reload", async () => {
    const { page } = await opened(fullReport());
    for (const verdict of ["pass", "inconclusive", "not run"]) {
      await page.locator(".toggle", { hasText: verdict }).click();
    }
    expect(await shownIds(page)).toEqual(["AUTH-06", "RUNA-01"]);
    expect(await page.locator("output").textContent()).toBe(`2 of ${requirementIds.length} shown`);

    await page.selectOption("select[name=area]", "run");
    expect(await shownIds(page)).toEqual(["RUNA-01"]);
    await page.reload();
    expect(await shownIds(page)).toEqual(["RUNA-01"]);

    await page.click("button[type=reset]");
    await page.fill("input[type=search]", "rate-0 evenly");
    await page.fill("input[type=search]", "COMPLETED in_queue");
    expect(await shownIds(page)).toContain("RUNA-01");
    await page.click("button[type=reset]");
    await page.locator(".toggle", { hasText: "must" }).click();
    expect(await shownIds(page)).not.toContain("RUNA-01");
    await page.locator(".cell.dimmed").first().waitFor();
  });

  test("opens the requirement that the address names, also when the filter hides it, and after a reload", async () => {
    const { page } = await opened(fullReport(), { hash: "#RUNA-01" });
    const entry = page.locator("#RUNA-01");
    expect(await entry.getAttribute("open")).toBe("");
    await page.reload();
    await page.waitForSelector("#RUNA-01[open]");

    await page.fill("input[type=search]", "no such text");
    expect(await shownIds(page)).toEqual([]);
    await page.locator('.matrix a[href="#AUTH-06"]').click();
    await page.waitForSelector("#AUTH-06[open]");
    expect(
      await page.locator("#AUTH-06 > summary").evaluate("this === document.activeElement"),
    ).toBe(false);
    await page.locator("#AUTH-06 > :focus").waitFor();
  });

  test("leads from the verdict to the difference in two clicks, and copies the script", async () => {
    const { page } = await opened(fullReport(), {
      permissions: ["clipboard-write", "clipboard-read"],
    });
    await page.click('.failures a[href="#RUNA-01"]');
    await page.waitForSelector("#RUNA-01 .exchange[open] mark:visible");
    expect(await page.locator("#RUNA-01 .exchange[open] mark").first().textContent()).toContain(
      '"id": 7',
    );

    await page.click('.failures a[href="#AUTH-06"]');
    await page.click("#AUTH-06 .repeat > summary");
    await page.click("#AUTH-06 .copy");
    await page.locator("#AUTH-06 .copy", { hasText: /Copied|Selected/ }).waitFor();
  });

  test("draws a timeline, tells what lies under the pointer, and zooms", async () => {
    const { page, incidents } = await opened(fullReport(), { hash: "#RUNA-01" });
    const drawing = page.locator("#RUNA-01 svg.timeline");
    await drawing.locator(".job").first().waitFor();
    expect(await drawing.locator(".state").count()).toBe(4);
    expect(await drawing.locator(".event.webhook").count()).toBe(1);
    expect(await drawing.locator(".due").count()).toBe(1);

    await drawing.locator(".event.webhook circle").hover();
    await page.waitForSelector("#RUNA-01 .tip:visible");
    expect(await page.locator("#RUNA-01 .tip").textContent()).toContain("answered with 500");

    const place = async (): Promise<string | null> =>
      drawing.locator(".event.retry circle").getAttribute("cx");
    const before = await place();
    await drawing.focus();
    await page.keyboard.press("+");
    expect(await place()).not.toBe(before);
    await page.keyboard.press("0");
    expect(await place()).toBe(before);
    await page.click("#RUNA-01 .timeline-bar >> text=True to scale");
    expect(await place()).not.toBe(before);
    expect(incidents).toEqual([]);
  });

  test("draws the plots of load with their limit", async () => {
    const { page, incidents } = await opened(fullReport());
    await page.locator("details.scenario > summary").first().click();
    await page.locator(".plots").first().scrollIntoViewIfNeeded();
    await page.waitForSelector(".plots canvas");
    expect(await page.locator(".plots figure").count()).toBe(5);
    expect(await page.locator(".fits").textContent()).toContain(
      "fixed window from the first request",
    );

    const over = page.locator(".plots .u-over").first();
    await over.hover();
    const values = page.locator(".plots .u-legend .u-series:nth-child(2) .u-value");
    await values.first().filter({ hasText: /[0-9]/ }).waitFor();
    expect(incidents).toEqual([]);
  });

  test("is dark where the reader's system is", async () => {
    const pageColours = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await opened(fullReport(), { colorScheme });
      const colour = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      pageColours.push(Number(/\d+/u.exec(colour)?.[0]));
    }
    expect(pageColours[0]).toBeGreaterThan(200);
    expect(pageColours[1]).toBeLessThan(60);
  });

  test("prints without what can only be clicked, as a few pages", async () => {
    const { page } = await opened(fullReport());
    await page.emulateMedia({ media: "print" });
    for (const part of [".toolbar", ".parts", ".small-button"]) {
      expect(await page.locator(part).first().isVisible()).toBe(false);
    }
    expect(await page.locator("h1").isVisible()).toBe(true);
    expect((await page.pdf({ format: "A4" })).subarray(0, 5).toString()).toBe("%PDF-");
  });

  test.each(["light", "dark"] as const)(
    "has no violation that axe finds, in %s",
    async (colorScheme) => {
      const { page } = await opened(fullReport(), { colorScheme, bypassCSP: true });
      for (const summary of await page
        .locator("#RUNA-01 summary, .scenario > summary, .sheet summary")
        .all()) {
        if (await summary.isVisible()) await summary.click();
      }
      await page.click('.failures a[href="#AUTH-06"]');
      await page.waitForSelector(".plots canvas");
      await page.evaluate(axe.source);
      const found = await page.evaluate<readonly string[]>(
        "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`)))",
      );
      expect(found).toEqual([]);
    },
  );

  test("runs nothing that a hostile report brings along, and stays whole", async () => {
    const results = [...hostileTexts, hostileMegabyte].map(hostileResult);
    const report = sampleReport(results, {
      command: hostileMegabyte,
      dialect: hostileMegabyte,
      target: {
        baseUrl: hostileMegabyte,
        endpointId: hostileMegabyte,
        capabilities: [hostileMegabyte],
      },
      load: hostileLoad(hostileMegabyte),
    });
    const { page, incidents } = await opened(report, { hash: "#RUNA-01" });
    await page.locator("details.scenario > summary").first().click();
    await page.locator(".plots").first().scrollIntoViewIfNeeded();
    await page.waitForSelector(".plots canvas");
    await page.locator("#RUNA-01 [data-timelines]").first().scrollIntoViewIfNeeded();
    await page.waitForSelector("#RUNA-01 svg.timeline .job");

    expect(await page.locator(".matrix .cell").count()).toBe(requirementIds.length);
    expect(await page.locator("img, iframe, object, embed, b, em").count()).toBe(0);
    expect(incidents).toEqual([]);
  });
});
