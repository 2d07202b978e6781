import { expect, test } from "vitest";

import { textOfFile } from "./text-file.ts";

const text = '{"a": "\u00e4"}';
const utf16 = Buffer.from(text, "utf16le");

test.each<[string, Buffer]>([
  ["UTF-8", Buffer.from(text)],
  ["UTF-8 with a byte order mark", Buffer.from(`\uFEFF${text}`)],
  ["UTF-16, as Windows writes it", Buffer.from(`\uFEFF${text}`, "utf16le")],
  ["UTF-16, high bytes first", Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
])("a file in %s is read", (_what, bytes) => {
  expect(textOfFile(bytes)).toBe(text);
});

test.each([utf16, Buffer.from(utf16).swap16()])("UTF-16 without a mark is named", (bytes) => {
  expect(() => textOfFile(bytes)).toThrow("it is UTF-16 or binary: save it as UTF-8");
});
