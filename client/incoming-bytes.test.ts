import { expect, test } from "vitest";

import { IncomingBytes, incomingBytesMax } from "./incoming-bytes.ts";

test("pieces of any size come out as they went in", () => {
  const incoming = new IncomingBytes(1_000_000);
  const pieces = [1, 5000, 3, 65_536, 4095, 4096, 0, 65_535, 7].map((length, at) =>
    Buffer.alloc(length, at + 1),
  );
  for (const piece of pieces) expect(incoming.add(piece)).toBeUndefined();
  expect(incoming.take().equals(Buffer.concat(pieces))).toBe(true);
  expect(incoming.take().length).toBe(0);
});

test("one of many small pieces takes little more than its bytes", () => {
  const incoming = new IncomingBytes(2_000_000);
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 1_000_000; count += 1) incoming.add(Buffer.from("x"));
  expect(incoming.take().length).toBe(1_000_000);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
});

test("none is larger than its bound, nor all together than theirs", () => {
  const small = new IncomingBytes(10);
  expect(small.add(Buffer.alloc(11))).toBe("more than 10 bytes");
  const half = Buffer.alloc(incomingBytesMax / 2);
  const [one, other, third] = [1, 2, 3].map(() => new IncomingBytes(incomingBytesMax));
  expect(one?.add(half)).toBeUndefined();
  expect(other?.add(half)).toBeUndefined();
  expect(third?.add(Buffer.alloc(1))).toMatch(/together with what else comes in$/);
  one?.take();
  expect(third?.add(Buffer.alloc(1))).toBeUndefined();
  other?.take();
  third?.take();
});
