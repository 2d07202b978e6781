import { afterEach, expect, test } from "vitest";

import { changed, specified } from "./behaviour.ts";
import { delaying, failing } from "./client-faults.ts";
import { startRig, type HttpRig } from "../test/rig.ts";

let rig: HttpRig | undefined;
afterEach(async () => {
  await rig?.reference.stop();
  rig = undefined;
});

function delays(seed: number): readonly (number | undefined)[] {
  const { delayAfterMs } = delaying(20, 200, seed)(specified).transport ?? {};
  return Array.from({ length: 1_000 }, () => delayAfterMs?.("run"));
}

function refusals(seed: number): readonly unknown[] {
  const { refuses } = failing(0.3, seed)(specified).transport ?? {};
  return Array.from({ length: 10_000 }, () => refuses?.("run", 0));
}

test("a delay is within its range, and the same for a seed", () => {
  const found = delays(1).filter((ms) => ms !== undefined && ms >= 20 && ms <= 200);
  expect(found).toHaveLength(1_000);
  expect(new Set(found).size).toBeGreaterThan(150);
  expect(delays(1)).toEqual(found);
  expect(delays(2)).not.toEqual(found);
});

test("a share is met by the seed's own choice", () => {
  const count = refusals(1).filter((status) => status === 500).length;
  expect(Math.abs(count - 3_000)).toBeLessThan(150);
  expect(refusals(1)).toEqual(refusals(1));
});

test.each([
  ["refused on purpose", { transport: { refuses: () => 500 } }],
  ["beyond a limit", { limits: { requestsPerWindow: () => 0 } }],
  ["of no known key", { authentication: { isSameKey: () => false } }],
] as const)("an answer to what is %s is held back, too", async (_what, change) => {
  let asked = 0;
  const delayAfterMs = (): number => {
    asked += 1;
    return 3_600_000;
  };
  const transport = { ...("transport" in change && change.transport), delayAfterMs };
  rig = await startRig({}, changed(specified, { ...change, transport }));
  let isAnswered = false;
  rig.call("GET", "/health").then(
    () => (isAnswered = true),
    () => {},
  );
  await expect.poll(() => asked).toBe(1);
  await rig.advance(0);
  expect(isAnswered).toBe(false);
});
