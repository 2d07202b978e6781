import { expect, test } from "vitest";

import { Payloads } from "./payload.ts";

test.each([1_000, 1_001])("a payload has exactly %d bytes, one after the other", (bytes) => {
  const payloads = new Payloads();

  const plain = payloads.plain(bytes);
  expect(plain.length).toBe(bytes);
  expect(plain.toString()).toMatch(/^{"input":{"op":"whoami","padding":"x+"}}$/);

  const wide = payloads.wide(bytes);
  expect(wide.length).toBe(bytes);
  expect(wide.toString().length).toBeLessThan(bytes * 0.6);
  expect(wide.toString()).toMatch(/^{"input":{"op":"whoami","padding":"é+x?"}}$/);

  const spaced = payloads.spaced(bytes);
  expect(spaced.length).toBe(bytes);
  expect(spaced.toString()).toMatch(/^{"input":{"op":"whoami","padding":"x+"} {400,}}$/);
});

test("a user's own job is padded with white space, outside its input", () => {
  const payloads = new Payloads({ prompt: "é" });
  for (const payload of [payloads.plain(900), payloads.wide(901), payloads.spaced(902)]) {
    expect(payload.length).toBeGreaterThanOrEqual(900);
    expect(payload.toString()).toMatch(/^{"input":{"prompt":"é"} {800,}}$/);
  }
});
