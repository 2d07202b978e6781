import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";

import { cachedK6Path } from "./find.ts";

/** The module that is built, and the version the scenarios were written on. */
export const k6Module = "go.k6.io/k6@v1.8.1";

export interface K6Installation {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cacheDirectory: string;
  /** What the Go tool says, line by line as it comes. */
  readonly onOutput?: (text: string) => void;
  readonly signal?: AbortSignal;
}

/**
 * Builds k6 into the project's cache: some 80 s and 70 MB, once. Answers the path of the binary.
 * @throws Error where Go is missing or the build fails, with Go's last words.
 */
export async function installK6(installation: K6Installation): Promise<string> {
  const cacheDirectory = resolve(installation.cacheDirectory);
  await mkdir(cacheDirectory, { recursive: true });
  // Built aside and moved: a build that was broken off leaves nothing that looks like a k6.
  const building = await mkdtemp(join(cacheDirectory, "building-"));
  try {
    await goInstall(building, installation);
    const path = cachedK6Path(cacheDirectory);
    await rename(join(building, basename(path)), path);
    return path;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

function goInstall(
  binDirectory: string,
  { environment, onOutput, signal }: K6Installation,
): Promise<void> {
  // For another platform Go would put the binary elsewhere, and it would not run here.
  const { GOOS: _system, GOARCH: _architecture, ...inherited } = environment;
  const child = spawn("go", ["install", k6Module], {
    env: { ...inherited, GOBIN: binDirectory, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = `${lastWords}${text}`.slice(-2_000);
    onOutput?.(text);
  });
  return new Promise((done, fail) => {
    child.on("error", (error) => {
      const isAbsent = "code" in error && error.code === "ENOENT";
      fail(isAbsent ? new Error("Go is not on PATH; k6 cannot be built without it") : error);
    });
    child.on("close", (code) => {
      if (code === 0) done();
      else fail(new Error(`go install ${k6Module} failed:\n${lastWords.trim()}`));
    });
  });
}
