import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import type { Page } from "playwright-core";

import { writeReports } from "../../reports/write.ts";
import { startBrowser } from "../../test/browser.ts";
import { faultyRun } from "./faulty-run.ts";

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

/** Writes docs/screenshots anew from a run against the reference with a few faults. */
async function takePictures(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "queueproof-pictures-"));
  const browser = await startBrowser();
  try {
    await mkdir(pictures, { recursive: true });
    const [file = ""] = await writeReports(await faultyRun(), { directory, formats: ["html"] });
    for (const { name, scheme, arrange } of shots) {
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
  } finally {
    await browser.close();
    await rm(directory, { recursive: true });
  }
}

await takePictures();
