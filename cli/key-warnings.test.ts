import { expect, test } from "vitest";

import { keyWarnings } from "./key-warnings.ts";

const place = { baseUrl: "http://a.test", controlUrl: undefined, endpointId: "e" };

test.each([
  ["k", /^the key of --api-key is too short/],
  ["k7-x", /^the key of --api-key has fewer than 8 characters/],
  ["Webhook", /^the key of --api-key is a word that reports use/],
])("a key that no report hides safely is told, and not shown: %s", (apiKey, warning) => {
  const [told, ...more] = keyWarnings({ ...place, apiKey, foreignKey: undefined });
  expect(told).toMatch(warning);
  expect(more).toEqual([]);
  expect(told).not.toContain(` ${apiKey} `);
});

test("of each key what is wrong with it; of a good one, and of none, nothing", () => {
  const both = keyWarnings({ ...place, apiKey: "rp_0123456789", foreignKey: "job" });
  expect(both).toEqual([expect.stringMatching(/^the key of --foreign-key is too short/)]);
  expect(keyWarnings(undefined)).toEqual([]);
});
