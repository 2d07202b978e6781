import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

import { startReference } from "./start-reference.ts";
import type { Reference } from "./start-reference.ts";
import { isTooDeep } from "./read-json.ts";
import { callJson } from "../test/rig.ts";

const nested = (depth: number, around = "[]"): string =>
  `${around.slice(0, -1).repeat(depth)}1${around.slice(-1).repeat(depth)}`;

test.each([
  [nested(500), false],
  [nested(501), true],
  [nested(501, '{"a":}'), true],
  [`[${Array.from({ length: 600 }, () => "[[]]").join(",")}]`, false],
  [JSON.stringify("[".repeat(501)), false],
  [JSON.stringify({ "\\": "[".repeat(501) }), false],
  [String.raw`{"a\\":${nested(500)}}`, true],
  [String.raw`{"a\"": "${"[".repeat(600)}"}`, false],
  [`"${"[".repeat(600)}`, false],
])("%.20s… is too deep: %j", (json, expected) => {
  expect(isTooDeep(Buffer.from(json))).toBe(expected);
});

const endpoint = { id: "e", apiKey: "k", foreignKey: "f", clock: "virtual", workers: 1 } as const;

async function start(): Promise<Reference> {
  const reference = await startReference({ console: true, endpoints: [endpoint] });
  onTestFinished(() => reference.stop());
  return reference;
}

const deep = nested(5_000);
const refusal = expect.stringMatching(/^the body is nested deeper than 500 levels$/) as unknown;
const problem = { status: 400, title: "Bad Request", detail: refusal };

test.each([
  ["POST", "/v2/e/run", `{"input":{"op":"echo","value":${deep}}}`, problem],
  ["POST", "/v2/e/runsync", `{"input":{"op":"echo","value":${deep}}}`, problem],
  ["POST", "/v2/e/run", `{"input":{},"policy":{"ttl":${deep}}}`, problem],
  ["POST", "/v2/e/run", `{"input":{},"webhook":${deep}}`, problem],
  ["POST", "/v2/e/run", `{"input":{},"s3Config":{"accessId":${deep}}}`, problem],
  ["POST", "/v2/e/run", `{"input":{},"metadata":${deep}}`, problem],
  ["POST", "/v2/e/run", deep, problem],
  ["POST", "/__console/endpoints/e/run", `{"input":{"value":${deep}}}`, { error: refusal }],
  ["POST", "/__console/endpoints/e/workers", `{"count":${deep}}`, { error: refusal }],
  ["POST", "/__control/endpoints", `{"workers":${deep}}`, { error: refusal }],
  ["PUT", "/__control/endpoints/e/hold", `{"operation":${deep}}`, { error: refusal }],
])(
  "a deep body is refused, and nothing is harmed by it: %s %s",
  async (method, path, body, told) => {
    const { baseUrl } = await start();
    const headers = { authorization: "k" };
    const call = (how: string, where: string, what?: string): ReturnType<typeof callJson> =>
      callJson(how, `${baseUrl}${where}`, what, { headers });

    const answer = await call(method, path, body);
    expect(answer).toMatchObject({ status: 400, body: told });
    const { body: job } = await call("POST", "/v2/e/runsync", `{"input":{"op":"echo","value":1}}`);
    expect(job).toMatchObject({ status: "COMPLETED" });
    for (const where of [`/v2/e/status/${String(job["id"])}`, "/v2/e/health", "/__console/state"]) {
      expect((await call("GET", where)).status).toBe(200);
    }
  },
);

test("without the key no body is looked at", async () => {
  const { baseUrl } = await start();
  for (const body of [deep, "{", `{"input":${nested(3)}}`]) {
    expect((await callJson("POST", `${baseUrl}/v2/e/run`, body)).status).toBe(401);
  }
});

test("a body at the bound is taken and comes back whole", async () => {
  const { baseUrl } = await start();
  const body = `{"input":{"op":"echo","value":${nested(498)}}}`;
  const headers = { authorization: "k" };
  const answer = await callJson("POST", `${baseUrl}/v2/e/runsync`, body, { headers });
  expect(JSON.stringify(answer.body["output"])).toBe(`{"value":${nested(498)}}`);
});

test("no other file of the server reads JSON that came from elsewhere", () => {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const reading = readdirSync(here, { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      /^(?!.*(?:\.test\.|testing\/|page\/)).*\.ts$/.test(name) &&
      readFileSync(`${here}${name}`, "utf8").includes("JSON.parse("),
  );
  // The body of a submission, once its depth is known; and the rows of the server's own file.
  expect(reading.toSorted()).toEqual(["behaviour/submission.ts", "read-json.ts", "store/rows.ts"]);
});
