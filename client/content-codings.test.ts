import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";

import { describe, expect, test } from "vitest";

import { textOf } from "./content-codings.ts";

const text = '{"status":"COMPLETED"}';
const plain = Buffer.from(text);
const roomy = 1_000;

describe("the text of a body", () => {
  test.each<[string | undefined, Buffer]>([
    [undefined, plain],
    ["identity", plain],
    ["gzip", gzipSync(plain)],
    ["X-GZIP", gzipSync(plain)],
    ["br", brotliCompressSync(plain)],
    ["deflate", deflateSync(plain)],
    ["deflate", deflateRawSync(plain)],
    ["gzip, br", brotliCompressSync(gzipSync(plain))],
  ])("is read from %s", (codings, bytes) => {
    expect(textOf(bytes, codings, roomy)).toEqual({ text });
  });

  test("is empty where nothing came, whatever is said of it", () => {
    expect(textOf(Buffer.alloc(0), "gzip", roomy)).toEqual({ text: "" });
  });

  test.each<[string, Buffer, string]>([
    ["gzip", plain, "a body that says it is in the content coding gzip, and is not"],
    ["zip", plain, 'a body in the content coding "zip", which was not asked for'],
    [
      "gzip",
      gzipSync(Buffer.alloc(roomy + 1)),
      "a body in the content coding gzip that is larger than 1000 bytes",
    ],
    ["identity", Buffer.from([0xff, 0xfd]), "a body that is not UTF-8"],
    ["identity", Buffer.from("\uFEFF{}", "utf16le"), "a body in UTF-16, where JSON is UTF-8"],
  ])("is called unreadable in %s: %#", (codings, bytes, unreadable) => {
    expect(textOf(bytes, codings, roomy)).toMatchObject({ unreadable });
  });
});
