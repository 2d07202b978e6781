import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const executablePath = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";

/** Why tests in a browser are skipped here; undefined where they run. With CI set its absence is an error. */
export function browserMissing(): string | undefined {
  if (existsSync(executablePath)) return undefined;
  const why = `no Chromium at ${executablePath}; CHROMIUM_PATH names another place`;
  if ((process.env["CI"] ?? "") !== "") throw new Error(`a browser has to run here: ${why}`);
  return why;
}

/** Chromium without a window, without a network of its own. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
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
