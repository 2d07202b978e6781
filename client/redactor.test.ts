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
    expect(other.nameOf("key-of-the-check")).toBeUndefined();
    expect(other.nameOf("key-of-the-run")).toBe("api key");
  });

  test("does not blank out short values that any text may hold", () => {
    const redactor = new Redactor();
    redactor.add("short", "a");
    redactor.add("word", "Warm");

    expect(redactor.redact("a cat is warm, not Warm")).toBe("a cat is warm, not ***");
    expect(redactor.redact("Warmer than Warm1, /Warm/, Bearer%20Warm")).toBe(
      "Warmer than ***1, /***/, Bearer%20***",
    );
  });
});

describe("a secret that a target echoes in another form", () => {
  const secret = "rp_S3cr3t/Key+42=";
  const hex = Buffer.from(secret).toString("hex");
  const everyCharacter = (write: (code: string) => string): string =>
    secret
      .split("")
      .map((one) => write(one.charCodeAt(0).toString(16).padStart(2, "0")))
      .join("");

  test.each<[string, string]>([
    ["other letter case", secret.toUpperCase()],
    ["percent", encodeURIComponent(secret)],
    ["percent in lower case", encodeURIComponent(secret).toLowerCase()],
    ["percent twice", encodeURIComponent(encodeURIComponent(secret))],
    ["percent for every character", everyCharacter((code) => `%${code}`)],
    ["JSON with \\/", secret.replaceAll("/", String.raw`\/`)],
    ["JSON with \\u00xx", everyCharacter((code) => String.raw`\u00${code}`)],
    [
      "JSON in JSON",
      JSON.stringify(JSON.stringify(secret.replaceAll("/", String.raw`\/`))).slice(3, -3),
    ],
    ["HTML by number", everyCharacter((code) => `&#x${code};`)],
    ["HTML by name", secret.replaceAll("/", "&sol;").replaceAll("+", "&plus;")],
    ["hex", hex],
    ["hex in upper case", hex.toUpperCase()],
    ["base64", base64(secret)],
    ["base64 after a colon", base64(`:${secret}`)],
    ["base64 among others", base64(`user:${secret}@host`)],
    ["base64 for URLs", Buffer.from(`??>${secret}`).toString("base64url")],
    ["base64 in a URL", encodeURIComponent(base64(`a${secret}`))],
  ])("is taken out, and what stands around it stays: %s", (_, form) => {
    const redactor = new Redactor();
    redactor.add("api key", secret);

    expect(redactor.redact(`before "${form}" and after, "${form}".`)).toBe(
      'before "***" and after, "***".',
    );
  });

  test("leaves alone what only looks like an escape", () => {
    const redactor = new Redactor();
    redactor.add("api key", secret);
    const text = String.raw`100%25 of C:\u0041 &amp; &#x41; "\"q\"" %zz`;

    expect(redactor.redact(text)).toBe(text);
  });
});

describe("what is left of a secret before a cut", () => {
  const redactor = new Redactor();
  redactor.add("api key", "rp_S3cr3t/Key+42=");

  test.each([
    ["rp_S3cr3t/Key+42…", "***…"],
    ["got rp_S3c… of 90", "got ***… of 90"],
    [String.raw`"rp_S3cr3t\/Ke…"`, '"***…"'],
    ["rp%5FS3cr3t%2FK…", "***…"],
    [`${base64("user:rp_S3cr3t/Key+42=").slice(0, 20)}…`, "***…"],
    ["rp_… and words…", "rp_… and words…"],
  ])("goes too: %s", (text, shown) => {
    expect(redactor.redact(text)).toBe(shown);
  });
});

test("a value of many texts is redacted at any depth, and is the same where nothing is found", () => {
  const redactor = new Redactor();
  redactor.add("api key", "s3cr3t-key");
  const ours = new Set(["name"]);
  const value = { "x-s3cr3t-key": ["s3cr3t-key", 1], name: "s3cr3t-key", none: undefined };
  expect(redactor.redactAll(value, ours)).toEqual({ "x-***": ["***", 1], name: "s3cr3t-key" });
  const clean = { a: ["b", { c: null }] };
  expect(redactor.redactAll(clean, ours)).toBe(clean);
});

test("megabytes of base64 of a secret are read through once", () => {
  const redactor = new Redactor();
  redactor.add("api key", "rp_S3cr3t/Key+42=");
  const encoded = base64("rp_S3cr3t/Key+42=".repeat(100_000));
  expect(redactor.redact(`before ${encoded} after`)).toBe("before *** after");
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

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
