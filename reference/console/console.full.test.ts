import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page, Route } from "playwright-core";
import { describe, expect, onTestFinished, test } from "vitest";

import { browserMissing, startBrowser } from "../../test/browser.ts";
import { startReference } from "../start-reference.ts";
import type { NewEndpoint } from "../service.ts";
import type { Reference } from "../start-reference.ts";
import { startReceiver } from "../../test/rig.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const keys = { apiKey: "key-of-the-test", foreignKey: "other-key-of-the-test" };

async function start(...endpoints: readonly NewEndpoint[]): Promise<Reference> {
  const reference = await startReference({ console: true, metrics: true, endpoints });
  onTestFinished(() => reference.stop());
  return reference;
}

const virtual: NewEndpoint = { id: "images", ...keys, clock: "virtual", workers: 1 };

/** Opens the page. An error, a console message or a request to another server fails the test. */
async function open(reference: Reference, options: object = {}): Promise<Page> {
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage(options);
  const complaints: string[] = [];
  // The page expects and shows an answer of 400, which the browser logs all the same.
  page.on("console", (message) => {
    if (!message.text().includes("status of 400")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(reference.baseUrl) && !url.startsWith("data:")) complaints.push(url);
  });
  onTestFinished(() => expect(complaints).toEqual([]));
  await page.goto(reference.baseUrl);
  return page;
}

function statuses(page: Page): Promise<string[]> {
  return page.locator("td.status").allTextContents();
}

async function submit(page: Page, body: object): Promise<void> {
  await page.getByLabel("Body of run").fill(JSON.stringify(body));
  await page.getByRole("button", { name: "Submit" }).click();
}

describe.skipIf(browserMissing() !== "")(`the page of serve ${browserMissing()}`, () => {
  test("submits, shows, moves the clock, retries, cancels and purges", async () => {
    const page = await open(await start(virtual));
    await submit(page, { input: { op: "sleep", ms: 5_000, value: "done" } });
    await expect.poll(() => statuses(page)).toEqual(["IN_PROGRESS"]);
    await submit(page, { input: { op: "fail", message: "no model" } });
    await expect.poll(() => statuses(page)).toEqual(["IN_QUEUE", "IN_PROGRESS"]);

    await page.getByLabel("Move the clock by seconds").fill("5");
    await page.getByRole("button", { name: "Move" }).click();
    await expect.poll(() => statuses(page)).toEqual(["FAILED", "COMPLETED"]);
    expect(await page.locator("#clock").textContent()).toBe("virtual clock at 5,000 ms");

    await page.locator("td:first-child button").last().click();
    await expect.poll(() => page.locator("#details-text").textContent()).toMatch(/"value": "done"/);
    await page.getByRole("button", { name: "Close" }).click();

    await page.getByLabel("Workers", { exact: true }).fill("0");
    await page.getByRole("button", { name: "Set" }).click();
    await page.getByRole("button", { name: /^Retry/ }).click();
    await expect.poll(() => statuses(page)).toEqual(["IN_QUEUE", "COMPLETED"]);
    await page.getByRole("button", { name: /^Cancel/ }).click();
    await expect.poll(() => statuses(page)).toEqual(["CANCELLED", "COMPLETED"]);

    await submit(page, { input: { op: "echo" } });
    await expect.poll(() => statuses(page)).toHaveLength(3);
    await page.getByRole("button", { name: "Purge the queue" }).click();
    await expect.poll(() => statuses(page)).toEqual(["CANCELLED", "COMPLETED"]);
  });

  test("is live: it shows what others do, and webhooks", async () => {
    const receiver = await startReceiver((_, response) => void response.writeHead(200).end());
    onTestFinished(() => receiver.stop());
    const reference = await start({ ...virtual, clock: "real" });
    const page = await open(reference);
    const { baseUrl, endpointId } = reference;
    await fetch(`${baseUrl}/v2/${endpointId}/run`, {
      method: "POST",
      headers: { authorization: keys.apiKey, "content-type": "application/json" },
      body: JSON.stringify({ input: { op: "echo" }, webhook: receiver.url }),
    });
    await expect.poll(() => statuses(page)).toEqual(["COMPLETED"]);
    await expect.poll(() => page.locator("td.acknowledged").textContent()).toBe("acknowledged");
    expect(await page.getByRole("button", { name: "Move" }).isDisabled()).toBe(true);
  });

  test("tells what is wrong with a submission, and shows what a job holds as text", async () => {
    const page = await open(await start(virtual));
    const notice = page.locator("#notice");
    await page.getByLabel("Body of run").fill("{");
    await page.getByRole("button", { name: "Submit" }).click();
    await expect.poll(() => notice.textContent()).toMatch(/JSON/);
    await page.getByLabel("Body of run").fill('{"input": 1}');
    await page.getByRole("button", { name: "Submit" }).click();
    await expect.poll(() => notice.textContent()).toBe("input must be a JSON object");
    await submit(page, { input: { op: "echo", value: "<img src=x onerror=alert(1)>" } });
    await expect.poll(() => page.locator("td.input").textContent()).toMatch(/<img src=x/);
    expect(await page.locator("td img").count()).toBe(0);
  });

  test("shows the endpoint that is chosen", async () => {
    const page = await open(await start(virtual, { id: "texts", clock: "virtual", workers: 7 }));
    await page.getByLabel("Endpoint").selectOption("texts");
    await expect.poll(() => page.locator("dd").allTextContents()).toContain("7");
    await expect.poll(() => page.getByLabel("Workers", { exact: true }).inputValue()).toBe("7");
  });

  test("keeps what is chosen when an answer about the endpoint before comes late", async () => {
    const page = await open(await start(virtual, { id: "texts", clock: "virtual", workers: 7 }));
    const late: Route[] = [];
    await page.route("**/state?endpoint=images&filter=", (route) => late.push(route), { times: 1 });
    await expect.poll(() => late.length).toBe(1);
    await page.getByLabel("Endpoint").selectOption("texts");
    await expect.poll(() => page.locator("dd").allTextContents()).toContain("7");
    const answer = page.waitForResponse((response) => response.url().includes("=images"));
    for (const route of late) await route.continue();
    await answer;
    // The page asks again twice a second, about the endpoint that it takes for chosen.
    const next = await page.waitForRequest((request) => request.url().includes("/state?endpoint="));
    expect(new URL(next.url()).search).toBe("?endpoint=texts&filter=");
    expect(await page.getByLabel("Endpoint").inputValue()).toBe("texts");
  });

  test.each(["light", "dark"] as const)("is accessible in %s", async (colorScheme) => {
    const page = await open(await start(virtual), { colorScheme, bypassCSP: true });
    for (const op of ["sleep", "fail", "echo"]) await submit(page, { input: { op, ms: 1_000 } });
    await page.getByRole("button", { name: "Move" }).click();
    await submit(page, { input: { op: "sleep", ms: 60_000 } });
    await expect
      .poll(() => statuses(page))
      .toEqual(["IN_PROGRESS", "COMPLETED", "FAILED", "COMPLETED"]);
    await page.evaluate(axe);
    const found: unknown = await page.evaluate(
      "axe.run().then((r) => r.violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.html)))",
    );
    expect(found).toEqual([]);
  });
});
