import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { generatedClient, generatedFile } from "./generate-client.ts";

test("the page's script is the one that its sources give (npm run generate writes it anew)", async () => {
  expect(await readFile(generatedFile, "utf8")).toBe(await generatedClient());
});
