import { variation, type Variation } from "./variation.ts";

/** How answers travel: slowly, in pieces, over connections that end, with headers of all kinds. */
export const transportVariations: readonly Variation[] = [
  variation("transport/slow-answers", {
    describe: "Every answer comes 5 to 50 ms after the request took effect.",
    change: () => ({ transport: { delayAfterMs: uneven(5, 50) } }),
  }),
  variation("transport/slow-requests", {
    describe: "Every request takes effect 5 to 50 ms after it arrived, in any order.",
    change: () => ({ transport: { delayBeforeMs: uneven(5, 50) } }),
  }),
  variation("transport/connection-ends-after-each-answer", {
    describe: "Every answer ends its connection.",
    change: () => ({ transport: { headers: () => ({ connection: "close" }) } }),
  }),
  variation("transport/chunked-bodies", {
    describe: "Every body is sent in chunks, without its length.",
    change: () => ({ transport: { pieceLength: 65_536 } }),
  }),
  variation("transport/bodies-in-small-pieces", {
    describe: "Every body is sent in chunks of 1,021 bytes, which cut characters apart.",
    change: () => ({ transport: { pieceLength: 1_021 } }),
  }),
  variation("transport/further-headers", {
    describe: "Every answer has headers that tell of limits, caches, cookies and traces.",
    change: () => ({
      transport: {
        headers: () => ({
          "cache-control": "no-store",
          "ratelimit-limit": "1000",
          "ratelimit-remaining": "999",
          "retry-after": "1",
          server: "edge/1.0",
          "set-cookie": "session=1; Path=/; HttpOnly",
          "strict-transport-security": "max-age=31536000",
          traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
          "x-request-id": "7",
        }),
      },
    }),
  }),
  variation("transport/refusals-ask-for-a-key", {
    describe: "A 401 carries a www-authenticate header.",
    change: () => ({
      transport: {
        headers: (_operation, status) =>
          status === 401 ? { "www-authenticate": 'Bearer realm="jobs"' } : {},
      },
    }),
  }),
];

/** Makes delays that differ from request to request and are the same in every run. */
function uneven(minMs: number, maxMs: number): () => number {
  let count = 0;
  return () => {
    count += 1;
    return minMs + ((count * 7_919) % (maxMs - minMs + 1));
  };
}
