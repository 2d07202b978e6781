import { describe, expect, test } from "vitest";
import { boundedBody, cutText, prettyBody } from "./bounded.ts";

describe("a body for reading", () => {
  test.each([
    { what: "a JSON value", body: { a: [1] }, shown: '{\n  "a": [\n    1\n  ]\n}' },
    { what: "JSON as text", body: '{"a": [1]}', shown: '{\n  "a": [\n    1\n  ]\n}' },
    { what: "a number that would change", body: '{"a":1.0}', shown: '{"a":1.0}' },
    { what: "a key that comes twice", body: '{"a":1,"a":2}', shown: '{"a":1,"a":2}' },
    { what: "space within a text", body: '["a  b"]', shown: '[\n  "a  b"\n]' },
    { what: "half an answer", body: '{"a":', shown: '{"a":' },
    { what: "a page", body: "<h1>502</h1>", shown: "<h1>502</h1>" },
    { what: "nothing", body: null, shown: "" },
    { what: "nothing at all", body: undefined, shown: "" },
  ])("$what", ({ body, shown }) => {
    expect(prettyBody(body)).toBe(shown);
  });

  test("nested too deeply stays as it came", () => {
    const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
    expect(prettyBody(deep)).toBe(deep);
    expect(boundedBody(JSON.parse(deep))).toBe(deep);
  });

  test("that JSON cannot hold is named as such", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(boundedBody(loop)).toBe("[a body that cannot be written as JSON]");
  });
});

test("a cut text says how long it was", () => {
  expect(cutText("abcdef", 3)).toBe("abc [cut here: 6 characters in all]");
  expect(cutText("abc", 3)).toBe("abc");
});
