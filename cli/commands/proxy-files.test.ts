import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { runHere } from "../../test/cli/failed-run.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { certificatesFor, isOwnAuthority } from "../../traffic/certificates.ts";

async function proxied(text: string) {
  const directory = temporaryDirectory();
  const file = join(directory, "ca.pem");
  writeFileSync(file, text);
  const words = ["proxy", "--base-url", "http://127.0.0.1:1", "--tls", "--ca-out", file];
  const end = await runHere([...words, "--", process.execPath, "--version"], directory);
  return { ...end, text: readFileSync(file, "utf8") };
}

test.each(["not ours", "twice"])(
  "a file of authorities that is %s is not written over",
  async (what) => {
    const { ca } = await certificatesFor("localhost");
    const given = what === "twice" ? `${ca}${ca}` : "a key of mine";
    const { exitCode, errors, text } = await proxied(given);
    expect(text).toBe(given);
    expect(exitCode).toBe(2);
    expect(errors).toMatch(/ca\.pem is there already.*\n.*--ca-out another name/u);
  },
);

test("the authority of the run before is", async () => {
  const { ca } = await certificatesFor("localhost");
  const { text } = await proxied(ca);
  expect(text).not.toBe(ca);
  expect(isOwnAuthority(text)).toBe(true);
});
