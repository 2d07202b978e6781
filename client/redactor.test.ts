import { describe, expect, test } from "vitest";

import { Redactor, excerpt, excerptCharactersMax } from "./redactor.ts";

describe("a redactor", () => {
  test.each([
    { form: "plain", text: "key is s3cr3t-key." },
    { form: "inside JSON", text: JSON.stringify({ key: "s3cr3t-key" }) },
    { form: "twice", text: "s3cr3t-key and s3cr3t-key" },
  ])("takes a secret out of a text: $form", ({ text }) => {
    const redactor = new Redactor();
    redactor.add("api key", "s3cr3t-key");

    expect(redactor.redact(text)).not.toContain("s3cr3t-key");
    expect(redactor.redact(text)).toContain("***");
  });

  test("knows a secret in its JSON and its URL form", () => {
    const secret = 'a"b c/d';
    const redactor = new Redactor();
    redactor.add("secret", secret);

    expect(redactor.redact(JSON.stringify(secret))).toBe('"***"');
    expect(redactor.redact(`/x?y=${encodeURIComponent(secret)}`)).toBe("/x?y=***");
  });

  test("leaves nothing of a secret that contains another", () => {
    const redactor = new Redactor();
    redactor.add("short", "abcd");
    redactor.add("long", "abcd-efgh");

    expect(redactor.redact("abcd-efgh")).toBe("***");
  });

  test("leaves nothing of secrets that overlap", () => {
    const redactor = new Redactor();
    redactor.add("one", "abcd-ef");
    redactor.add("other", "d-efgh-i");

    expect(redactor.redact("x abcd-efgh-i y")).toBe("x *** y");
  });

  test("takes out the secrets of every check of its run, and names its own and the run's alone", () => {
    const run = new Redactor();
    run.add("api key", "key-of-the-run");
    const check = new Redactor(run);
    check.add("api key", "key-of-the-check");
    const other = new Redactor(run);
    const text = "key-of-the-run key-of-the-check";

    for (const redactor of [run, check, other]) expect(redactor.redact(text)).toBe("*** ***");
    expect(other.leaksIn("key-of-the-check")).toEqual([]);
    expect(other.leaksIn(text)).toEqual(["api key"]);
  });

  test("does not blank out short values that any text may hold", () => {
    const redactor = new Redactor();
    redactor.add("short", "a");

    expect(redactor.redact("a cat")).toBe("a cat");
  });

  test("names the secrets that stand in a text, and no others", () => {
    const redactor = new Redactor();
    redactor.add("api key", "the-api-key");
    redactor.add("s3Config.accessSecret", "the-secret");

    expect(redactor.leaksIn("here is the-secret")).toEqual(["s3Config.accessSecret"]);
  });
});

describe("an excerpt", () => {
  test("keeps a short text whole", () => {
    expect(excerpt("short", new Redactor())).toBe("short");
  });

  test("says how much of a long text it left out", () => {
    const text = "x".repeat(excerptCharactersMax + 17);

    expect(excerpt(text, new Redactor())).toMatch(/… \(17 more characters\)$/);
  });

  test("does not show the half of a secret that the cut would split", () => {
    const redactor = new Redactor();
    redactor.add("api key", "SECRETSECRET");
    const text = `${"x".repeat(excerptCharactersMax - 6)}SECRETSECRET${"y".repeat(100)}`;

    expect(excerpt(text, redactor)).not.toContain("SECRET");
  });
});
