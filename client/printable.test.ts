import { describe, expect, test } from "vitest";

import { printable } from "./printable.ts";

describe("a printable text", () => {
  test.each([
    { what: "plain words", text: "status 500, no body", shown: "status 500, no body" },
    { what: "letters of any script", text: "ä漢 ✓ 😀", shown: "ä漢 ✓ 😀" },
    { what: "line breaks", text: '{\r\n  "id": 1\n}', shown: '{ "id": 1 }' },
    { what: "an escape sequence", text: "\u001B[2J", shown: String.raw`\u001b[2J` },
    { what: "a backspace", text: "a\bb", shown: String.raw`a\u0008b` },
    { what: "a C1 control", text: "\u009B31m", shown: String.raw`\u009b31m` },
    { what: "turned direction", text: "\u202Egnp.exe", shown: String.raw`\u202egnp.exe` },
    { what: "an invisible tag", text: "\u{E0041}", shown: String.raw`\u{e0041}` },
    { what: "a line separator", text: "a\u2028b", shown: String.raw`a\u2028b` },
    { what: "half a pair", text: "\uD83D!", shown: String.raw`\ud83d!` },
  ])("shows $what", ({ text, shown }) => {
    expect(printable(text)).toBe(shown);
  });
});
