import * as fc from "fast-check";

/** One request over HTTP, valid or not. */
export interface FuzzedRequest {
  readonly kind: "request";
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Whether it submits a job that must still be there at the end where the server accepts it. */
  readonly isKept: boolean;
}

/** Raw bytes, in the pieces in which they are sent. */
export interface FuzzedBytes {
  readonly kind: "bytes";
  readonly pieces: readonly string[];
}

export type FuzzedStep = FuzzedRequest | FuzzedBytes;

/** The endpoints of the fuzzed server: jobs of one end fast, the other keeps all its jobs for the end. */
export const QUICK = "quick";
export const KEEPING = "keeping";
export const KEY = "key";
/** A placeholder in a path for a job that the server has accepted. */
export const SOME_JOB = "SOME-JOB";

const json = fc.jsonValue({ maxDepth: 4 });
const small = fc.integer({ min: 0, max: 5_000 });

/** JSON of these depths, which are around the server's limit and far above what a stack bears. */
const deep = fc
  .tuple(fc.constantFrom(2, 490, 500, 501, 900, 6_000, 100_000), fc.boolean())
  .map(([depth, isList]) =>
    isList
      ? `${"[".repeat(depth)}0${"]".repeat(depth)}`
      : `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`,
  );

const valueText = fc.oneof(
  { arbitrary: json.map((value) => JSON.stringify(value)), weight: 8 },
  { arbitrary: fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)), weight: 2 },
  { arbitrary: fc.double().map(String), weight: 1 },
  { arbitrary: fc.constantFrom("1e400", "-0", "1e-7", "9007199254740993", "null"), weight: 1 },
  { arbitrary: deep, weight: 1 },
);

const members = (names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...names), valueText), { maxLength: 4 })
    .map((pairs) => `{${pairs.map(([name, value]) => `"${name}":${value}`).join(",")}}`);

const input = fc.oneof(
  fc.record({ op: fc.constant("echo"), value: json }).map((each) => JSON.stringify(each)),
  fc.record({ op: fc.constant("sleep"), ms: small }).map((each) => JSON.stringify(each)),
  fc
    .record({
      op: fc.constantFrom("stream", "text"),
      count: fc.nat(40),
      bytes: fc.nat(100_000),
      chunks: fc.nat(20),
      intervalMs: fc.nat(50),
    })
    .map((each) => JSON.stringify(each)),
  fc.constantFrom("fail", "flaky", "crash", "whoami").map((op) => `{"op":"${op}","failures":1}`),
  members(["op", "value", "ms", "__proto__", "constructor", "toJSON"]),
);

const webhook = fc.constantFrom(
  "http://127.0.0.1:9/",
  "http://[::1]:9/x?y",
  "http://localhost:9/",
  "http://192.0.2.1/",
  "http://user:pass@127.0.0.1:9/",
  "SELF/__console/endpoints/keeping/purge",
  "SELF/__control/endpoints/keeping",
  "ftp://x",
);

const written = (parts: Readonly<Record<string, string>>): string =>
  `{${Object.entries(parts)
    .map(([name, text]) => `"${name}":${text}`)
    .join(",")}}`;

const valid = fc
  .record(
    {
      input,
      webhook: webhook.map((url) => JSON.stringify(url)),
      policy: fc
        .tuple(fc.integer({ min: 5_000, max: 60_000 }), fc.integer({ min: 10_000, max: 60_000 }))
        .map(([executionTimeout, ttl]) => JSON.stringify({ executionTimeout, ttl })),
      metadata: valueText,
    },
    { requiredKeys: ["input"] },
  )
  .map(written);

const strange = fc
  .record(
    {
      input: fc.oneof(input, valueText),
      webhook: valueText,
      policy: members(["executionTimeout", "ttl", "lowPriority", "other"]),
      s3Config: members(["accessId", "accessSecret", "bucketName", "endpointUrl"]),
      metadata: valueText,
    },
    { requiredKeys: [] },
  )
  .map(written);

const submission = fc.oneof({ arbitrary: valid, weight: 3 }, { arbitrary: strange, weight: 1 });

const body = fc.oneof(
  { arbitrary: submission, weight: 6 },
  { arbitrary: members(["count", "ms", "workers", "scaling", "operation", "stream"]), weight: 2 },
  { arbitrary: valueText, weight: 2 },
  { arbitrary: fc.string({ unit: "binary", maxLength: 300 }), weight: 1 },
);

const word = fc.oneof(
  fc.string({ maxLength: 12 }).map(encodeURIComponent),
  fc.constantFrom("..", "%2e%2e", "%00", "%ff", "%", "a".repeat(5_000), "__proto__"),
);
const id = fc.oneof(
  { arbitrary: fc.constant(SOME_JOB), weight: 5 },
  { arbitrary: word, weight: 1 },
);

/** Requests that would change an endpoint for good and leave nothing to fuzz go to one that does not exist. */
const places = [
  `POST /v2/${QUICK}/run`,
  `POST /v2/${QUICK}/runsync`,
  `POST /v2/${QUICK}/runsync?wait=1000`,
  `POST /__console/endpoints/${QUICK}/run`,
  ...["health", "requests", "openai/v1/models"].map((end) => `GET /v2/${QUICK}/${end}`),
  ...["purge-queue", "openai/v1/chat/completions"].map((end) => `POST /v2/${QUICK}/${end}`),
  ...["/", "/metrics", "/__console/state", "/__console/page.js", "/__control/"].map(
    (whole) => `GET ${whole}`,
  ),
  ...["hold", "workers"].map((end) => `PUT /__control/endpoints/none/${end}`),
  `GET /__control/endpoints/${QUICK}/clock`,
  "POST /__control/endpoints/none/clock/advance",
  "POST /v2/none/run",
  "POST /__console/endpoints/none/advance",
  `POST /__console/endpoints/${QUICK}/purge`,
];

const ofJob = fc
  .tuple(fc.constantFrom("GET status", "GET stream", "POST cancel", "POST retry"), id)
  .map(([asking, job]) => `${asking.replace(" ", ` /v2/${QUICK}/`)}/${job}`);

/** A method and a path, with a space between them. */
const place = fc.oneof(
  { arbitrary: fc.constantFrom(...places), weight: 10 },
  { arbitrary: ofJob, weight: 6 },
  { arbitrary: fc.tuple(word, word).map(([one, two]) => `GET /v2/${one}/${two}`), weight: 1 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom("PUT", "PATCH", "HEAD", "OPTIONS", "DELETE"), ofJob)
      .map(([method, where]) => where.replace(/^\S+/, method)),
    weight: 1,
  },
);

const query = fc.oneof(
  { arbitrary: fc.constant(""), weight: 4 },
  {
    arbitrary: fc
      .tuple(fc.constantFrom("ttl", "wait", "endpoint"), fc.oneof(word, small.map(String)))
      .map(([name, value]) => `${name}=${value}`),
    weight: 1,
  },
);

const headers = fc.record(
  {
    authorization: fc.oneof(
      { arbitrary: fc.constantFrom(KEY, `Bearer ${KEY}`), weight: 8 },
      { arbitrary: fc.constantFrom("", "none", "x".repeat(8_000)), weight: 1 },
    ),
    "content-type": fc.oneof(
      { arbitrary: fc.constant("application/json"), weight: 8 },
      { arbitrary: fc.constantFrom("text/plain", "application/json; charset=x", ";"), weight: 1 },
    ),
    "x-more": fc.string({ unit: "grapheme-ascii", maxLength: 9 }),
  },
  { requiredKeys: ["authorization", "content-type"] },
);

const asked: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    place,
    query,
    headers,
    body,
  })
  .map(({ place: asking, query: search, headers: sent, body: text }) => {
    const [method = "", where = ""] = asking.split(" ");
    return {
      kind: "request",
      method,
      path: search === "" ? where : `${where}${where.includes("?") ? "&" : "?"}${search}`,
      headers: sent,
      body: method === "GET" || method === "HEAD" ? undefined : text,
      isKept: false,
    };
  });

const kept: fc.Arbitrary<FuzzedRequest> = submission.map((text) => ({
  kind: "request",
  method: "POST",
  path: `/v2/${KEEPING}/run`,
  headers: { authorization: KEY, "content-type": "application/json" },
  body: text,
  isKept: true,
}));

const head = `POST /v2/${QUICK}/run HTTP/1.1\r\nhost: x\r\nauthorization: ${KEY}\r\n`;
const piece = fc.oneof(
  fc.string({ unit: "binary-ascii", maxLength: 80 }),
  fc.constantFrom(
    head,
    "content-type: application/json\r\n",
    "content-length: 12\r\n",
    "content-length: 99999999999999\r\n",
    "transfer-encoding: chunked\r\n\r\n",
    "\r\n",
    '5\r\n{"a":\r\n',
    "0\r\n\r\n",
    '{"input":{}}',
    "GET / HTTP/1.0\r\n\r\n",
    "expect: 100-continue\r\n",
    "upgrade: websocket\r\nconnection: upgrade\r\n",
    `x: ${"y".repeat(20_000)}\r\n`,
  ),
);

const bytes: fc.Arbitrary<FuzzedBytes> = fc
  .tuple(fc.boolean(), fc.array(piece, { minLength: 1, maxLength: 8 }))
  .map(([hasHead, pieces]) => ({ kind: "bytes", pieces: hasHead ? [head, ...pieces] : pieces }));

/** Steps that are taken at the same time. */
export const steps: fc.Arbitrary<readonly FuzzedStep[]> = fc.array(
  fc.oneof(
    { arbitrary: asked, weight: 12 },
    { arbitrary: kept, weight: 1 },
    { arbitrary: bytes, weight: 4 },
  ),
  { minLength: 1, maxLength: 8 },
);
