import { existsSync, readFileSync, statSync } from "node:fs";
import { expect, test } from "vitest";

import { withFileInputs } from "./file-inputs.ts";

test.each([
  ["QUEUEPROOF_JOBS", "jobs", '{"quick": {"input": {}}}'],
  ["QUEUEPROOF_BASELINE", "baseline", "RUNA-02 the gateway cuts at 8 MB\nSYNC-05 slow\n"],
  ["QUEUEPROOF_CERT_KEY", "cert-key", "-----BEGIN PRIVATE KEY-----\nabc\n"],
])(
  "content in %s is put into a file of its owner's, and is gone afterwards",
  (variable, name, text) => {
    const { environment, lines, remove } = withFileInputs({ [variable]: text, PATH: "p" });
    const path = environment[variable] ?? "";
    expect(readFileSync(path, "utf8").trim()).toBe(text.trim());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(environment["PATH"]).toBe("p");
    expect(lines).toEqual([`Input ${name}: taken as content.`]);
    remove();
    expect(existsSync(path)).toBe(false);
  },
);

test("a path stays a path, and a name a name", () => {
  const given = { QUEUEPROOF_JOBS: "ci/jobs.json", QUEUEPROOF_DIALECT: "runpod" };
  const { environment, lines } = withFileInputs(given);
  expect(environment).toEqual(given);
  expect([...lines].toSorted()).toEqual([
    "Input dialect: taken as runpod.",
    "Input jobs: taken as ci/jobs.json.",
  ]);
});
