import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { addInputSecrets, hasInputSecrets } from "./input-secrets.ts";

const plain = { quick: { input: { prompt: "hello", max_tokens: 5 }, atMostMs: 1 } };

test("a text in a member named as a secret is one, however deep and however spelt", () => {
  const input = {
    prompt: "hello",
    auth: { deep: ["sk-one-1"] },
    hfToken: "sk-two-2",
    API_KEY: "sk-three",
  };
  const jobs = { quick: { input, atMostMs: 1 } };
  const redactor = new Redactor();
  addInputSecrets(redactor, jobs);
  expect(redactor.redact("sk-one-1 sk-two-2 sk-three hello")).toBe("*** *** *** hello");
  expect(hasInputSecrets(jobs)).toBe(true);
  expect(hasInputSecrets(plain)).toBe(false);
});
