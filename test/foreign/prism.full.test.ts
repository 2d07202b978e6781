import { readFile } from "node:fs/promises";
import { describe, expect, onTestFinished, test } from "vitest";

import { parseDialect } from "../../harness/dialects/parse-dialect.ts";
import type { Dialect } from "../../harness/dialects/schema.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { prism, prismDialect, prismTarget, startPrism } from "./prism.ts";
import { verdictsOf } from "./verdicts.ts";

/** The mock server that Prism makes of the document: every shape is right, and nothing ever happens. */

/** The requirements that the document alone decides: who gets in without a key, what is refused, how answers look. */
const shapes = [
  ...(["AUTH-01", "ENDP-04", "SUBM-01", "SUBM-02", "SUBM-03"] as const),
  ...(["POLI-01", "POLI-02", "POLI-03"] as const),
];

/** The requirements that need a server, which knows its key, its ids and its jobs. */
const behaviour = ["AUTH-02", "RUNA-01", "SYNC-10", "STAT-09"] as const;

async function startMock(): Promise<string> {
  const { baseUrl, stop } = await startPrism();
  onTestFinished(stop);
  return baseUrl;
}

async function dialectOfMock(): Promise<Dialect> {
  const parsed = parseDialect(JSON.parse(await readFile(prismDialect, "utf8")));
  if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
  return parsed.dialect;
}

describe.skipIf(prism.missing !== "")(`Prism's mock ${prism.missing}`, () => {
  test("answers health in the document's shape, and nobody without a key", async () => {
    const url = `${await startMock()}/health`;
    const answer = await fetch(url, { headers: { authorization: prismTarget.apiKey } });
    expect(answer.status).toBe(200);
    const health: unknown = await answer.json();
    expect(validators.HealthAnswer(health), JSON.stringify(health)).toBe(true);
    expect((await fetch(url)).status).toBe(401);
  });

  test("has its shapes passed and is found out by behaviour", async () => {
    const settings = {
      ...prismTarget,
      baseUrl: await startMock(),
      capabilities: ["handler"] as const,
      dialect: await dialectOfMock(),
    };
    const { verdicts } = await verdictsOf(settings, [...shapes, ...behaviour]);
    expect(verdicts).toEqual({
      ...Object.fromEntries(shapes.map((id) => [id, "pass"])),
      ...Object.fromEntries(behaviour.map((id) => [id, "fail"])),
    });
  });
});
