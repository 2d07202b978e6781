import { chromium, type Browser } from "playwright-core";
import { toolNamed } from "./tools.ts";

/** Why tests in a browser are skipped here; empty where they run. */
export function browserMissing(): string {
  return browser().missing;
}

function browser(): ReturnType<typeof toolNamed> {
  return toolNamed("chromium", "Install Debian's package chromium, or put one on PATH.");
}

/** Starts Chromium without a window and without network traffic of its own. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: browser().path,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
