import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { k6Tool } from "../k6/tool.ts";
import { ensureTool } from "./ensure.ts";
import { findTool, toolCache } from "./find.ts";
import { installTool } from "./install.ts";

// A stand-in for the Go tool: what it would build is a script that answers as k6 does.
const builds = `[ "$1" = env ] && { echo go1.25.12; exit; }
[ "$1 $2 $GOOS" = "install ${k6Tool.module} " ] || exit 9
echo 'go: downloading' >&2
printf '#!/bin/sh\\necho "k6 v1.8.1 (go1.26.8, linux/amd64)"\\n' > "$GOBIN/k6"
chmod +x "$GOBIN/k6"`;

describe.skipIf(process.platform === "win32")("the installation of k6", () => {
  test("leaves one that is found in the cache", async () => {
    const { environment } = await withGo(builds);
    const said: string[] = [];

    const path = await installTool(k6Tool, {
      environment: { ...environment, GOOS: "plan9" },
      onOutput: (text) => said.push(text),
    });

    const found = await findTool(k6Tool, { ...environment, PATH: "" });
    expect(found).toEqual({ path, version: "1.8.1", source: "cache" });
    expect(said.join("")).toContain("downloading");
    expect(await readdir(toolCache(k6Tool, environment))).toEqual(["k6", "k6.sha256"]);
  });

  test("leaves nothing behind where the build fails, and says what Go said", async () => {
    const { environment } = await withGo(
      "[ $1 = env ] && { echo go1.26.8; exit; }; echo 'no such module' >&2; exit 1",
    );

    const installing = installTool(k6Tool, { environment });

    await expect(installing).rejects.toThrow(/go install .* failed:\nno such module/);
    expect(await readdir(toolCache(k6Tool, environment))).toEqual([]);
  });

  test("lets a Go that was told to stay what it is fetch the one k6 needs", async () => {
    const { environment } = await withGo(
      `[ "$1" = env ] && { echo go1.21.3; exit; }; [ "$GOTOOLCHAIN" = auto ] || exit 9; ${builds}`,
    );
    const installing = installTool(k6Tool, {
      environment: { ...environment, GOTOOLCHAIN: "local" },
    });
    await expect(installing).resolves.toContain("k6");
  });

  test.each([
    ["off", /checksum database is switched off/],
    ["checksums.example", /^go: downloading\n$/],
  ])("tells whether downloads are held against checksums: %s", async (checksums, said) => {
    const { environment } = await withGo(
      `[ "$1" = env ] && { printf 'go1.25.12\\n${checksums}\\n'; exit; }; ${builds}`,
    );
    const heard: string[] = [];
    await installTool(k6Tool, {
      environment,
      onOutput: (text) => heard.push(text),
    });
    expect(heard.join("")).toMatch(said);
  });

  test.each(["GONOSUMDB=*", "GOPRIVATE=go.k6.io", "GONOSUMCHECK=1", "GOFLAGS=-insecure"])(
    "tells of each setting that leaves modules out of Go's checksum database: %s",
    async (setting) => {
      const { environment } = await withGo(builds);
      const [name = "", value] = setting.split("=");
      const heard: string[] = [];
      await installTool(k6Tool, {
        environment: { ...environment, [name]: value },
        onOutput: (text) => heard.push(text),
      });
      expect(heard.join("")).toContain(`checksum database is switched off (${setting})`);
    },
  );

  test("says that Go is too old where it is", async () => {
    const { environment } = await withGo("echo go1.19.8");
    const installing = installTool(k6Tool, { environment });
    await expect(installing).rejects.toThrow("Go is go1.19.8; k6 needs 1.25");
  });

  test("happens once, where k6 is wanted and Go is there, and is announced", async () => {
    const { environment } = await withGo(builds);
    const said: string[] = [];
    const wanted = { environment, onBuilding: (text: string) => said.push(text) };
    expect(await ensureTool(k6Tool, wanted)).toMatchObject({ version: "1.8.1", source: "cache" });
    expect(said[0]).toContain("Building k6 with Go");
    said.length = 0;
    expect(await ensureTool(k6Tool, wanted)).toMatchObject({ source: "cache" });
    expect(said).toEqual([]);
  });

  test("is not tried beside a K6_PATH that names none", async () => {
    const { environment } = await withGo(builds);
    const found = await ensureTool(k6Tool, {
      environment: { ...environment, K6_PATH: "/no/such/k6" },
    });
    expect("missing" in found && found.missing).toContain("K6_PATH is");
  });

  test("says that Go is missing where it is", async () => {
    const { environment } = await withGo("exit 0");

    const installing = installTool(k6Tool, { environment: { ...environment, PATH: "" } });

    await expect(installing).rejects.toThrow("Go is not on PATH");
  });
});

async function withGo(script: string): Promise<{ readonly environment: NodeJS.ProcessEnv }> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-install-k6-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const go = join(folder, "bin", "go");
  await mkdir(join(folder, "bin"));
  await writeFile(go, `#!/bin/sh\n${script}\n`);
  await chmod(go, 0o755);
  const path = [join(folder, "bin"), process.env["PATH"] ?? ""].join(delimiter);
  return { environment: { PATH: path, XDG_CACHE_HOME: join(folder, "cache") } };
}
