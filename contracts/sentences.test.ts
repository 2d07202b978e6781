import { readdirSync, readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { isRequirementId, requirements } from "../openapi/index.ts";

const withIds = /^( *)covers: \[("[^\]]+")\],.*$/gm;
const withId = /^( *(?:requirement: )?)"([A-Z0-9]{4}-\d\d)",.*$/gm;

/** The source of checks, with the catalogue's sentence beside each id that a check covers. */
function withSentences(source: string): string {
  return source
    .replaceAll(withIds, (_, indent: string, ids: string) => {
      const each = ids.split(", ").map((id) => `${indent}  ${id},\n`);
      return each.length === 1
        ? `${indent}covers: [${ids}], // ${sentenceOf(ids.slice(1, -1))}`
        : `${indent}covers: [\n${each.join("")}${indent}],`;
    })
    .replaceAll(
      withId,
      (_, before: string, id: string) => `${before}"${id}", // ${sentenceOf(id)}`,
    );
}

function sentenceOf(id: string): string {
  return isRequirementId(id) ? requirements[id].text : "no such requirement";
}

const files = readdirSync("contracts", { recursive: true, encoding: "utf8" }).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes("testing"),
);

test.each(files)("%s tells what a requirement says beside its id", async (name) => {
  const source = readFileSync(`contracts/${name}`, "utf8");
  const hint = "run `npx vitest run --project unit contracts/sentences.test.ts -u`";
  await expect(withSentences(source), hint).toMatchFileSnapshot(`./${name}`);
});
