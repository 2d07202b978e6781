import type { RequirementId } from "../../openapi/requirements.ts";
import { onHttp } from "./hostile-server.ts";
import type { HostileServer } from "./hostile-server.ts";

const json = { "content-type": "application/json" } as const;
const lateMs = 5000;
/** What any record shows: the key is accepted, a job is made, and it has an id and a state. */
const ofAnyRecord: readonly RequirementId[] = ["AUTH-03", "POLI-01", "RUNA-01", "STAT-01"];

const oddIds: readonly (readonly [what: string, id: string])[] = [
  ["../../contracts/", "../../contracts/"],
  ["..", ".."],
  ["%00", "%00"],
  ["by a line break", "a\r\nx-injected: 1"],
  ["by quotes and dollars", `'"\`$(id)\\`],
  ["by an emoji", "😀"],
  ["by half a surrogate pair", "\uD83D"],
  ["by an escape sequence", "\u001B[2J"],
  ["by 10 kB", "i".repeat(10_000)],
  ["by 1 MB", "i".repeat(1_000_000)],
  ["by nothing", ""],
  ["__proto__", "__proto__"],
];

/** Servers that answer every request at once, with answers that cannot be relied on. */
export const hostileAnswers: readonly HostileServer[] = [
  always("answers 200 with {} to everything", "{}", { says: /status 200, \{\}/ }),
  always("answers garbage for JSON", "\u0000\u0001garbage", { says: /not JSON/ }),
  always("cuts its JSON off", '{"id":"a","status":"IN_QU', { says: /not JSON/ }),
  always("answers with nothing", "", { says: /empty body/ }),
  always("answers with a bare string", '"COMPLETED"', { says: /COMPLETED/ }),
  always("answers with null", "null", { says: /null/ }),
  always("answers in invalid UTF-8", Buffer.from('{"id":"\xC3\x28"}', "latin1"), {
    says: /not UTF-8/,
  }),
  always("nests its JSON 100,000 levels deep", deepRecord(100_000), { says: /nested more than/ }),
  always("answers with 40 MB of JSON", () => hugeRecord(40_000_000), {
    failure: "too-large",
    says: /more than 33554432 bytes/,
  }),
  always("answers with 4 MB of JSON", () => hugeRecord(4_000_000), {
    says: /expected .*, got .*xxx/,
    shows: ofAnyRecord,
  }),
  always("repeats keys and sets __proto__", protoRecord(), {
    says: /expected .*, got /,
    shows: ofAnyRecord,
  }),
  always("names its headers like members of every object", "{}", {
    headers: { constructor: "a", ["__proto__"]: "b", "to-string": "c" },
    says: /status 200, \{\}/,
  }),
  always("calls its JSON an image", "{}", {
    headers: { "content-type": "image/png" },
    says: /status 200, \{\}/,
  }),
  always("says it is compressed and is not", "{}", {
    headers: { "content-encoding": "gzip, br" },
    says: /says it is in the content coding br, and is not/,
  }),
  always("answers an HTML page to everything", "<html><body>Welcome</body></html>", {
    headers: { "content-type": "text/html" },
    says: /not JSON/,
  }),
  always("answers 204 to everything", "", { status: 204, says: /204|empty body/ }),
  always("answers 401 to everything", "{}", {
    status: 401,
    refusal: "KEY_REFUSED",
    says: /status 401/,
  }),
  always("answers 404 to everything", "{}", {
    status: 404,
    refusal: "ENDPOINT_UNKNOWN",
    says: /status 404/,
  }),
  always("answers 429 to everything", "{}", {
    status: 429,
    undecidable: true,
    headers: { "retry-after": "100000" },
    says: /answered 429/,
  }),
  always("answers 500 to everything", '{"error":"no"}', { status: 500, says: /status 500/ }),
  always("answers 502 with an HTML page", "<h1>Bad Gateway</h1>", {
    status: 502,
    headers: { "content-type": "text/html" },
    says: /status 502, <h1>/,
  }),
  always("answers 999 to everything", "{}", { status: 999, says: /status 999/ }),
  always("redirects elsewhere", "", {
    status: 302,
    headers: { location: "http://127.0.0.1:9/elsewhere" },
    says: /status 302/,
    refusal: "TARGET_UNREACHABLE",
  }),
  {
    does: "redirects to itself",
    says: /status 307/,
    start: onHttp((response, { url }) => {
      response.writeHead(307, { location: url ?? "/" }).end();
    }),
  },
  always("sends control characters in its words", '{"error":"\u001B[2J\u009B31m\u202Eoops"}', {
    status: 500,
    says: /\\u001b\[2J\\u009b31m\\u202eoops/,
  }),
  {
    does: "answers long after the time-out",
    failure: "timeout",
    says: /no whole answer within 250 ms/,
    start: onHttp((response) => {
      setTimeout(() => response.writeHead(200, json).end("{}"), lateMs).unref();
    }),
  },
  // Every request is answered with the record of the same job.
  ...oddIds.map(([what, id]) =>
    always(`calls every job ${what}`, JSON.stringify({ id, status: "IN_QUEUE" }), {
      says: /expected .*, got /,
      shows: ofAnyRecord,
    }),
  ),
];

interface Telling extends Omit<HostileServer, "does" | "start"> {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type Body = string | Buffer | (() => string);

/** A server that gives one answer to everything. A large body is made when the server is started. */
function always(does: string, body: Body, telling: Telling): HostileServer {
  const { status = 200, headers = json, ...told } = telling;
  return {
    does,
    ...told,
    start: async () => {
      const bytes = typeof body === "function" ? Buffer.from(body()) : body;
      return onHttp((response) => response.writeHead(status, headers).end(bytes))();
    },
  };
}

function deepRecord(depth: number): string {
  return `{"id":"a","status":"COMPLETED","output":${"[".repeat(depth)}${"]".repeat(depth)}}`;
}

function hugeRecord(bytes: number): string {
  return `{"id":"a","status":"COMPLETED","output":["${"x".repeat(bytes)}"]}`;
}

function protoRecord(): string {
  const proto = '"__proto__":{"status":"COMPLETED","id":"b","isAdmin":true}';
  return `{"id":"a",${proto},"status":"IN_QUEUE","status":"COMPLETED","constructor":{"prototype":{}}}`;
}
