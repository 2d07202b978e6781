import { describe, expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/index.ts";
import { HarnessError } from "./outcome.ts";
import { isLoopback, openTarget } from "./open-target.ts";
import type { TargetSettings } from "./open-target.ts";
import { scriptedServer } from "./testing/scripted-server.ts";
import type { Script } from "./testing/scripted-server.ts";

const jobs = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };

async function settingsFor(script: Script): Promise<TargetSettings> {
  const baseUrl = await scriptedServer(script);
  return { baseUrl, endpointId: "e", apiKey: "the-key-of-this-test", capabilities: [] };
}

/** How many workers are seen where health shows so many idle ones and one that is running. */
async function workersSeen(idle: number): Promise<number | undefined> {
  const health = { jobs, workers: { idle, running: 1 } };
  return (await openTarget(await settingsFor(() => [200, health]))).workersSeen;
}

async function errorOf(settings: TargetSettings): Promise<HarnessError> {
  try {
    await openTarget(settings);
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error("the target was opened");
}

describe("opening a target", () => {
  test("learns from control what it offers", async () => {
    const reference = await startReference({});
    onTestFinished(async () => reference.stop());
    const { baseUrl, controlUrl = "" } = reference;

    const { capabilities } = await openTarget({ baseUrl, controlUrl, capabilities: ["openai"] });

    expect(capabilities).toEqual(
      expect.arrayContaining(["handler", "webhook", "workers", "endpoints", "clock", "load"]),
    );
  });

  test("needs an endpoint and a key where no fresh ones can be made", async () => {
    const baseUrl = await scriptedServer(() => [200, {}]);
    const { code, message } = await errorOf({ baseUrl, capabilities: [] });
    expect(code).toBe("TARGET_UNREACHABLE");
    expect(message).toMatch(/no endpoint and key were given/);
  });

  test("counts the workers that health shows, and no more than there can be", async () => {
    expect(await workersSeen(3)).toBe(4);
    expect(await workersSeen(1e15)).toBe(64);
  });

  test.each([
    { what: "{}", script: () => [200, {}] as const },
    { what: "429", script: () => [429, {}] as const },
    { what: "500", script: () => [500, "no"] as const },
  ])("leaves a target that answers $what to the checks", async ({ script }) => {
    expect((await openTarget(await settingsFor(script))).workersSeen).toBe(1);
  });

  test.each([
    { what: "a page", outside: [200, "welcome"] as const },
    { what: "404", outside: undefined },
    { what: "401, too", outside: [401, {}] as const },
  ])("takes nothing but 401 for a wrong key where the rest answers $what", async ({ outside }) => {
    const script: Script = (request) => (request.includes("/v2/") ? [401, {}] : outside);
    const { code, message, hint } = await errorOf(await settingsFor(script));
    expect(code).toBe("KEY_REFUSED");
    expect(message).toMatch(/^every request with this key was answered 401 \(health and run/);
    expect(message).not.toContain("the-key-of-this-test");
    expect(hint).toMatch(/--api-key/);
  });

  test("tells a mistyped endpoint, with what to correct", async () => {
    const reference = await startReference({ endpoints: [{ clock: "real" }] });
    onTestFinished(async () => reference.stop());
    const { baseUrl, endpointId, apiKey } = reference;
    const settings = { baseUrl, apiKey, capabilities: [] };
    await expect(openTarget({ ...settings, endpointId })).resolves.toMatchObject({ endpointId });

    const { code, message, hint } = await errorOf({ ...settings, endpointId: "mistyped" });
    expect(code).toBe("ENDPOINT_UNKNOWN");
    expect(message).toMatch(
      /^every request to endpoint mistyped .* answered 404 .*id is probably wrong$/,
    );
    expect(message).not.toContain(apiKey);
    expect(hint).toMatch(/--endpoint/);
  });

  test.each([
    { what: "401 to health, and looks at what is submitted", health: 401, run: 400 },
    { what: "401 to health, and 404 to run", health: 401, run: 404 },
    { what: "404 to health, and looks at what is submitted", health: 404, run: 400 },
    { what: "404 to health, and takes anything", health: 404, run: 200 },
  ])("leaves a target that answers $what to the checks", async ({ health, run }) => {
    const script: Script = (request) => [request.startsWith("POST") ? run : health, {}];
    expect((await openTarget(await settingsFor(script))).workersSeen).toBe(1);
  });

  test("says what is wrong with a control protocol that is none", async () => {
    const baseUrl = await scriptedServer(() => [500, "\u001B[2J"]);
    const { code, message } = await errorOf({ baseUrl, controlUrl: baseUrl, capabilities: [] });
    expect(code).toBe("TARGET_UNREACHABLE");
    expect(message).toMatch(/answered 500: .*u001b\[2J/);
  });
});

describe("a loopback address", () => {
  test.each([
    { url: "http://127.0.0.1:80", loopback: true },
    { url: "http://127.9.9.9", loopback: true },
    { url: "http://localhost:1", loopback: true },
    { url: "http://[::1]/", loopback: true },
    { url: "http://127.0.0.1.example.org", loopback: false },
    { url: "http://10.0.0.1", loopback: false },
  ])("$url: $loopback", ({ url, loopback }) => {
    expect(isLoopback(url)).toBe(loopback);
  });
});
