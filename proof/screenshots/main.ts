import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { Browser, Page } from "playwright-core";

import { toolVersion } from "../../openapi/installation.ts";
import { createReport } from "../../reports/create-report.ts";
import { openLoopScenarios } from "../../load/open-loop-scenarios.ts";
import type { JudgedLoad } from "../../load/open-loop/judged-load.ts";
import type { OpenLoopScenario } from "../../load/release/scenario.ts";
import type { Report } from "../../reports/model.ts";
import { writeReports } from "../../reports/write.ts";
import { startBrowser } from "../../test/browser.ts";
import { foundUnder } from "../recovery/rig.ts";
import { faultyRun } from "./faulty-run.ts";
import { faultsUnderLoad, releaseScenarios } from "./load-scenarios.ts";

const pictures = fileURLToPath(new URL("../../docs/screenshots/", import.meta.url));

interface Picture {
  readonly name: string;
  readonly scheme: "light" | "dark";
  /** Brings the page to what is shown; returns the selector of a part where the picture shows only that. */
  readonly arrange: (page: Page) => Promise<string | undefined>;
}

const whole = async (): Promise<undefined> => Promise.resolve(undefined);

const shots: readonly Picture[] = [
  { name: "light", scheme: "light", arrange: whole },
  { name: "dark", scheme: "dark", arrange: whole },
  {
    name: "failures",
    scheme: "light",
    arrange: async (page) => {
      await page.click('.failures a[href="#CANC-01"]');
      return undefined;
    },
  },
  {
    name: "timeline",
    scheme: "light",
    arrange: async (page) => {
      await page.click('.failures a[href="#RUNA-04"]');
      await page.waitForSelector("#RUNA-04 .timeline .job");
      return "#RUNA-04 .timeline-host";
    },
  },
  {
    name: "load",
    scheme: "light",
    arrange: async (page) => {
      // Takes a scenario with plots where the run has one.
      const drawn = page.locator("details.scenario:has([data-series])");
      const count = await drawn.count();
      const scenario = count > 0 ? drawn : page.locator("details.scenario");
      await scenario.first().locator("summary").first().click();
      await page.evaluate("document.querySelector('.scenario[open]').scrollIntoView()");
      if (count > 0) await page.waitForSelector(".plots canvas");
      return undefined;
    },
  },
];

/** The pictures of a server that is killed under load, and has forgotten the webhooks that were due. */
const shotsOfFault: readonly Picture[] = [
  {
    name: "fault",
    scheme: "light",
    arrange: async (page) => {
      await page.locator("details.scenario summary").first().click();
      // Plots are drawn where they are seen.
      await page.evaluate("document.querySelector('.scenario[open]').scrollIntoView()");
      await page.waitForSelector(".plots canvas");
      return undefined;
    },
  },
];

/** The picture of one scenario: its part of the page, opened. */
function shotOf({ name, entry }: OpenLoopScenario): Picture {
  const part = `details.scenario:has(.check-title:text-is("${entry}"))`;
  return {
    name: `scenario-${name}`,
    scheme: "light",
    arrange: async (page) => {
      await page.locator(part).first().locator("summary").first().click();
      await page.evaluate("document.querySelector('.scenario[open]').scrollIntoView()");
      if ((await page.locator(`${part} [data-series]`).count()) > 0)
        await page.waitForSelector(".plots canvas");
      return part;
    },
  };
}

/** A report that holds these findings of load alone. */
async function loadReport(find: () => Promise<readonly JudgedLoad[]>): Promise<Report> {
  const startedAt = new Date();
  const load = await find();
  return createReport({
    toolVersion: toolVersion(),
    command: "load",
    seed: 1,
    startedAt,
    durationMs: Date.now() - startedAt.getTime(),
    target: { baseUrl: "http://127.0.0.1:8097", endpointId: "", capabilities: [] },
    results: [],
    load,
  });
}

/** Writes docs/screenshots anew from runs against the reference with a few faults. */
async function takePictures(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-pictures-"));
  const browser = await startBrowser();
  try {
    await mkdir(pictures, { recursive: true });
    const scenarios = await loadReport(async () => [
      ...(await releaseScenarios()),
      ...(await faultsUnderLoad()),
    ]);
    const runs = [
      { report: await faultyRun(), pictured: shots },
      {
        report: await loadReport(async () => [
          await foundUnder("kill", { bug: "forgets-webhooks" }),
        ]),
        pictured: shotsOfFault,
      },
      { report: scenarios, pictured: openLoopScenarios.map(shotOf) },
    ];
    for (const { report, pictured } of runs) {
      const [file = ""] = await writeReports(report, { directory, formats: ["html"] });
      await picture(browser, file, pictured);
    }
  } finally {
    await browser.close();
    await rm(directory, { recursive: true });
  }
}

async function picture(
  browser: Browser,
  file: string,
  pictured: readonly Picture[],
): Promise<void> {
  for (const { name, scheme, arrange } of pictured) {
    const page = await browser.newPage({
      colorScheme: scheme,
      reducedMotion: "reduce",
      viewport: { width: 1200, height: 860 },
    });
    await page.goto(pathToFileURL(file).href);
    await page.waitForSelector("html[data-ready]");
    const part = await arrange(page);
    const shot = part === undefined ? page : page.locator(part).first();
    await writeFile(join(pictures, `${name}.png`), await shot.screenshot());
    await page.close();
  }
}

await takePictures();
