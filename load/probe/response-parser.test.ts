import { describe, expect, test } from "vitest";

import { ProtocolError, ResponseParser } from "./response-parser.ts";

const answers = [
  {
    title: "a length",
    wire: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
    expected: { status: 200, body: "hello", keepsAlive: true },
  },
  {
    title: "chunks with an extension and a trailer",
    wire: "HTTP/1.1 429 Too Many\r\ntransfer-encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nx: y\r\n\r\n",
    expected: { status: 429, body: "abc0123456789", keepsAlive: true },
  },
  {
    title: "no body, after a provisional answer",
    wire: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n",
    expected: { status: 204, body: "", keepsAlive: false },
  },
];

describe("ResponseParser", () => {
  test.each(answers)("reads $title, whole and byte by byte", ({ wire, expected }) => {
    expect(new ResponseParser().push(Buffer.from(wire))).toMatchObject(expected);
    const slow = new ResponseParser();
    const read = [...Buffer.from(wire)].map((byte) => slow.push(Buffer.from([byte])));
    expect(read.slice(0, -1).every((answer) => answer === undefined)).toBe(true);
    expect(read.at(-1)).toMatchObject(expected);
  });

  test("takes no further request on a connection that brought more than was asked for", () => {
    const wire = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";
    expect(new ResponseParser().push(Buffer.from(wire))).toMatchObject({ keepsAlive: true });
    const twice = new ResponseParser().push(Buffer.from(`${wire}${wire}`));
    expect(twice).toMatchObject({ status: 200, body: "{}", keepsAlive: false });
  });

  test("reads a body that ends with the connection", () => {
    const parser = new ResponseParser();
    expect(parser.push(Buffer.from("HTTP/1.0 200 OK\r\n\r\nabc"))).toBeUndefined();
    expect(parser.end()).toMatchObject({ status: 200, body: "abc", keepsAlive: false });
  });

  test.each([
    "SSH-2.0-x\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
    "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    "x".repeat(70_000),
  ])("refuses what is no answer: %#", (wire) => {
    expect(() => new ResponseParser().push(Buffer.from(wire))).toThrow(ProtocolError);
  });
});
