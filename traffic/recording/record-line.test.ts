import { describe, expect, test } from "vitest";
import { exchangeOf, KeyDigest, lineOf, withoutContent } from "./record-line.ts";
import type { RecordedBody, RecordedExchange } from "./recorded-exchange.ts";

const key = "a-key-of-a-client-1234";

function body(value: unknown): RecordedBody {
  return { bytes: Buffer.from(JSON.stringify(value)), kind: "whole" };
}

function exchange(sent: unknown, got: unknown, authorization = `Bearer ${key}`): RecordedExchange {
  return {
    number: 3,
    connection: 2,
    method: "POST",
    origin: "http://127.0.0.1:1",
    target: `/v2/e/run?echo=${key}`,
    headers: { authorization, cookie: "session", "x-echo": key },
    body: body(sent),
    arrivedMs: 1_800_000_000_000.5,
    answer: { status: 200, headers: {}, body: body(got), beganMs: 1, endedMs: 2 },
  };
}

const sent = {
  input: { prompt: "private" },
  s3Config: { accessId: "secret-id", bucketName: "bucket" },
  policy: { ttl: 10_000 },
};
const got = { id: "j", status: "COMPLETED", output: ["private"], error: "private", note: key };

describe("a line of a recording", () => {
  test("holds no key, no storage setting and no content", () => {
    const line = lineOf(withoutContent(exchange(sent, got), new KeyDigest(), false));
    expect(line).not.toMatch(/a-key-of|private|secret-id|session/);
    const read = exchangeOf(line);
    expect(JSON.parse(read.body.bytes.toString())).toEqual({
      input: {},
      s3Config: { accessId: "***", bucketName: "***" },
      policy: { ttl: 10_000 },
    });
    expect(JSON.parse(read.answer?.body.bytes.toString() ?? "")).toEqual({
      id: "j",
      status: "COMPLETED",
      output: [],
      error: "",
      note: "***",
    });
  });

  test("holds inputs and outputs where they are wanted, and still no key", () => {
    const line = lineOf(withoutContent(exchange(sent, got), new KeyDigest(), true));
    expect(line).toContain("private");
    expect(line).not.toMatch(/a-key-of|secret-id|session/);
  });

  test("tells keys apart, in their form, within one recording alone", () => {
    const digest = new KeyDigest();
    const headerOf = (authorization: string, by = digest): string | undefined =>
      withoutContent(exchange({}, {}, authorization), by, false).headers["authorization"];
    expect(headerOf(`Bearer ${key}`)).toBe(`Bearer ${headerOf(key)}`);
    expect(headerOf(key)).not.toBe(headerOf("another-key-of-a-client"));
    expect(headerOf(key)).not.toBe(headerOf(key, new KeyDigest()));
  });

  test("is read as it was written", () => {
    const written = withoutContent(exchange(sent, got), new KeyDigest(), true);
    expect(exchangeOf(lineOf(written))).toEqual(written);
    const aborted: RecordedExchange = {
      ...written,
      answer: undefined,
      brokenOff: { by: "client", atMs: 5 },
    };
    const { answer: _answer, ...rest } = aborted;
    expect(exchangeOf(lineOf(aborted))).toEqual(rest);
  });

  test("of a body nested without end holds nothing of it", () => {
    const deep = `{"input":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const given = exchange({}, {});
    const bytes = Buffer.from(deep);
    const hostile: RecordedExchange = { ...given, body: { bytes, kind: "whole" } };
    const read = exchangeOf(lineOf(withoutContent(hostile, new KeyDigest(), false)));
    expect(read.body.kind).toBe("unknown");
    expect(read.body.bytes).toHaveLength(0);
  });

  test.each(["", "7", "{}", '{"number":1,"connection":1,"method":"GET"}'])(
    "is refused: %s",
    (line) => {
      expect(() => exchangeOf(line)).toThrow(TypeError);
    },
  );
});
