import { appendFile, chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { isSupportedK6, k6Tool, readK6Version } from "../k6/tool.ts";
import { cachedToolPath, findTool, toolCache, writeChecksum } from "./find.ts";

describe("the version of k6", () => {
  test.each([
    ["k6 v1.8.1 (go1.26.8, linux/amd64)\n", "1.8.1"],
    ["k6 v2.2.0 (commit/0a1b2c, go1.26.8, linux/amd64)\nExtensions:\n", "2.2.0"],
    ["k6.exe v1.9.0 (go1.26.8, windows/amd64)\n", "1.9.0"],
    ["k6 placeholder", undefined],
  ])("is read from %j", (said, version) => {
    expect(readK6Version(said)).toBe(version);
  });

  test.each([
    ["1.8.1", true],
    ["1.10.0", true],
    ["2.0.0", true],
    ["1.7.1", false],
    ["0.52.0", false],
    ["3.0.0", false],
  ])("%s is supported: %s", (version, isSupported) => {
    expect(isSupportedK6(version)).toBe(isSupported);
  });
});

describe.skipIf(process.platform === "win32")("the search for k6", () => {
  test("takes the one K6_PATH names before all others", async () => {
    const { folder, inCache } = await places();
    const named = await fakeK6(join(folder, "named"), "1.9.0");
    await fakeK6(join(folder, "bin"), "1.8.1");

    const found = await findTool(k6Tool, {
      ...inCache,
      K6_PATH: named,
      PATH: join(folder, "bin"),
    });

    expect(found).toEqual({ path: named, version: "1.9.0", source: "variable" });
  });

  test("ends at a K6_PATH that cannot be used", async () => {
    const { folder, inCache } = await places();
    await fakeK6(toolCache(k6Tool, inCache), "1.8.1");

    const found = await findTool(k6Tool, { ...inCache, K6_PATH: join(folder, "none") });

    expect("missing" in found && found.missing).toContain("K6_PATH is");
  });

  test("passes an old one on PATH over for the one in the cache", async () => {
    const { folder, inCache } = await places();
    await fakeK6(join(folder, "bin"), "0.52.0");
    await writeChecksum(await fakeK6(toolCache(k6Tool, inCache), "1.8.1"));

    const found = await findTool(k6Tool, { ...inCache, PATH: join(folder, "bin") });

    const path = cachedToolPath(k6Tool, inCache);
    expect(found).toEqual({ path, version: "1.8.1", source: "cache" });
  });

  test("runs nothing in the cache that was not built there", async () => {
    const { inCache } = await places();
    await fakeK6(toolCache(k6Tool, inCache), "1.8.1");
    const environment = { ...inCache, PATH: "" };
    const brought = await findTool(k6Tool, environment);
    expect("missing" in brought && brought.missing).toContain("not the one that was built there");

    await writeChecksum(cachedToolPath(k6Tool, inCache));
    await fakeK6(toolCache(k6Tool, inCache), "1.9.0");
    const replaced = await findTool(k6Tool, environment);
    expect("missing" in replaced && replaced.missing).toContain("not the one that was built there");
  });

  test("is in the user's cache folder, wherever it is run", () => {
    expect(toolCache(k6Tool, { XDG_CACHE_HOME: "/caches" })).toBe("/caches/queueproof/k6");
    const usual = join(homedir(), ".cache", "queueproof", "k6");
    const caches = [{}, { XDG_CACHE_HOME: "relative" }].map((each) => toolCache(k6Tool, each));
    expect(caches).toEqual([usual, usual]);
  });

  test("keeps the environment from whatever it asks for its version", async () => {
    const { folder, inCache } = await places();
    const path = await fakeK6(join(folder, "bin"), "1.8.1");
    const seen = join(folder, "seen");
    await appendFile(path, `env > ${seen}\n`);
    process.env["QUEUEPROOF_API_KEY_OF_TEST"] = "secret-of-the-test";
    onTestFinished(() => void delete process.env["QUEUEPROOF_API_KEY_OF_TEST"]);
    await findTool(k6Tool, { ...inCache, PATH: join(folder, "bin") });
    expect(await readFile(seen, "utf8")).not.toContain("secret-of-the-test");
  });

  test("says what it saw and how to get one where there is none", async () => {
    const { folder, inCache } = await places();
    await fakeK6(join(folder, "bin"), "0.52.0");

    const found = await findTool(k6Tool, { ...inCache, PATH: join(folder, "bin") });

    const missing = "missing" in found ? found.missing : "";
    expect(missing).toMatch(/it is 0\.52\.0; 1\.8 and later or 2\.x.*k6 install/);
  });
});

/** A folder, and an environment whose cache is in it. */
async function places(): Promise<{
  readonly folder: string;
  readonly inCache: { readonly XDG_CACHE_HOME: string };
}> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-find-k6-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return { folder, inCache: { XDG_CACHE_HOME: join(folder, "cache") } };
}

async function fakeK6(folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "k6");
  await writeFile(path, `#!/bin/sh\necho 'k6 v${version} (go1.26.8, linux/amd64)'\n`);
  await chmod(path, 0o755);
  return path;
}
