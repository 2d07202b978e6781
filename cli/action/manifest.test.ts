import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

import { actionManifest } from "./manifest.ts";

test("the action is generated from the options (npm run generate:action)", () => {
  const path = new URL("../../action.yml", import.meta.url);
  expect(readFileSync(path, "utf8")).toBe(actionManifest());
});
