import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./project.ts";

test.each(["Dockerfile", "worker/Dockerfile"])(
  "every base image of %s is named by its digest, so that a moved tag brings nothing in",
  async (name) => {
    const text = await readFile(join(root, name), "utf8");
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases.length).toBeGreaterThan(0);
    for (const base of bases)
      expect(base).toMatch(/^[a-z]+:\d+\.\d+\.\d+-\S+@sha256:[0-9a-f]{64}$/);
  },
);
