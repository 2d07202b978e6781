import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { harEntries } from "./har-entries.ts";
import { exchangeOfEntry } from "./har-entry.ts";

const record = '{"id":"j","status":"COMPLETED"}';

function entry(more: Readonly<Record<string, unknown>> = {}, content: unknown = { text: record }) {
  return {
    startedDateTime: "2026-01-31T12:00:00.000+01:00",
    time: 120,
    request: {
      method: "get",
      url: "https://api.test/v2/e/status/j?ttl=5",
      headers: [
        { name: ":authority", value: "api.test" },
        { name: "Accept", value: "a" },
        { name: "accept", value: "b" },
      ],
    },
    response: { status: 200, headers: [], content },
    timings: { receive: 20 },
    ...more,
  };
}

function bodyOf(content: unknown): { readonly kind: string | undefined; readonly text: string } {
  const body = exchangeOfEntry(entry({}, content), 1)?.answer?.body;
  return { kind: body?.kind, text: body?.bytes.toString() ?? "" };
}

describe("an entry of a HAR file", () => {
  test("is read with its times, its zone and its headers", () => {
    const read = exchangeOfEntry(entry(), 7);
    const arrivedMs = Date.UTC(2026, 0, 31, 11);
    expect(read).toMatchObject({
      number: 7,
      method: "GET",
      origin: "https://api.test",
      target: "/v2/e/status/j?ttl=5",
      headers: { accept: "a, b" },
      arrivedMs,
      answer: { status: 200, beganMs: arrivedMs + 100, endedMs: arrivedMs + 120 },
    });
    expect(Object.keys(read?.headers ?? {})).toEqual(["accept"]);
  });

  test.each([
    ["plain", { text: record }],
    ["base64", { text: Buffer.from(record).toString("base64"), encoding: "base64" }],
    ["marked base64 and not it", { text: record, encoding: "base64" }],
    ["base64 and not marked", { text: Buffer.from(record).toString("base64") }],
    ["compressed", { text: gzipSync(record).toString("base64"), encoding: "base64" }],
  ])("has its body: %s", (_what, content) => {
    expect(bodyOf(content)).toEqual({ kind: "whole", text: record });
  });

  test("has an unknown body where the tool left it out, and a cut one where it cut it", () => {
    expect(bodyOf({ size: 31 }).kind).toBe("unknown");
    expect(bodyOf({ text: "", size: 31 }).kind).toBe("unknown");
    expect(bodyOf({ text: '{"id":"j",', size: 31 }).kind).toBe("cut");
    expect(bodyOf({ text: "", size: 0 }).kind).toBe("whole");
  });

  test("tells an aborted request, and leaves out what came from a cache", () => {
    const aborted = exchangeOfEntry(entry({ response: { status: 0, headers: [] } }), 1);
    expect(aborted?.answer).toBeUndefined();
    expect(aborted?.brokenOff?.by).toBe("client");
    expect(exchangeOfEntry(entry({ _fromCache: "memory" }), 1)).toBeUndefined();
  });

  test.each([
    ["no request", { request: undefined }],
    ["no time", { startedDateTime: "yesterday" }],
    ["no URL", { request: { method: "GET", url: "::" } }],
  ])("is refused where it has %s", (_what, more) => {
    expect(() => exchangeOfEntry(entry(more), 1)).toThrow(TypeError);
  });
});

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size);
    await Promise.resolve();
  }
}

test.each([1, 3, 7, 10_000])(
  "entries are cut out of a file that comes in pieces of %d",
  async (size) => {
    const entries = [{ a: '}"]{\\', b: [{}, []] }, { é: "日本" }];
    const log = {
      version: "1.2",
      pages: [{ entries: [{ no: 1 }] }],
      'x"entries': {},
      entries,
      end: [{}],
    };
    const found: unknown[] = [];
    for await (const text of harEntries(inPieces(JSON.stringify({ log }), size))) {
      found.push(JSON.parse(text));
    }
    expect(found).toEqual(entries);
  },
);
