import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import { cleanUp } from "./clean-up.ts";
import { EngineEndpoints } from "./engine-endpoints.ts";
import type { TargetAccess } from "../harness/endpoint/endpoint-source.ts";

async function started(control: boolean): Promise<TargetAccess> {
  const reference = await startReference({ control });
  onTestFinished(() => reference.stop());
  const { baseUrl, endpointId, apiKey, controlUrl } = reference;
  const own = { baseUrl, endpointId, apiKey, capabilities: ["load"] } as const;
  if (controlUrl === undefined) return own;
  return { ...own, controlUrl, capabilities: ["load", "endpoints"] };
}

async function submit(target: TargetAccess, ms: number, count: number): Promise<void> {
  const endpoints = new EngineEndpoints(target);
  onTestFinished(() => endpoints.close());
  const client = await endpoints.next();
  for (let at = 0; at < count; at += 1) await client.run({ input: { op: "sleep", ms } });
}

test("what waits is purged, and what works is waited for", async () => {
  const target = await started(false);
  await submit(target, 800, 6);
  const { purged = 0, left } = (await cleanUp(target, {})) ?? {};
  expect(left).toBe(0);
  expect(purged).toBeGreaterThan(0);
});

test("where nothing was left nothing is purged", async () => {
  expect(await cleanUp(await started(false), {})).toEqual({ purged: 0, left: 0 });
});

test("endpoints that were made for the run need none of it, and after a stop there is no time for it", async () => {
  expect(await cleanUp(await started(true), {})).toBeUndefined();
  const target = await started(false);
  await submit(target, 60_000, 2);
  expect(await cleanUp(target, { signal: AbortSignal.abort() })).toBeUndefined();
});
