import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { cachedToolPath, fileNameOf, toolCache, writeChecksum } from "./find.ts";
import type { GoTool, ToolEnvironment } from "./find.ts";

const execute = promisify(execFile);

export interface ToolInstallation {
  readonly environment: ToolEnvironment;
  /** Called once it is clear that there is a Go that can build it. */
  readonly onStart?: () => void;
  /** What the Go tool says, line by line as it comes. */
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds a tool into the user's cache, once: k6 takes some 80 s and 70 MB. Returns the path of the binary.
 * @throws Error where Go is missing or the build fails, with Go's last words.
 */
export async function installTool(tool: GoTool, installation: ToolInstallation): Promise<string> {
  const { environment } = installation;
  const { unverifiedBy, environment: go } = await goFor(tool, environment);
  installation.onStart?.();
  if (unverifiedBy.length > 0) {
    installation.onOutput?.(
      `Go's checksum database is switched off (${unverifiedBy.join(", ")}): nothing proves that this ${tool.name} is the one that was released.\n`,
    );
  }
  const cacheDirectory = toolCache(tool, environment);
  await mkdir(cacheDirectory, { recursive: true });
  // Built aside and moved: a build that was broken off leaves nothing that looks like the tool.
  const building = await mkdtemp(join(cacheDirectory, "building-"));
  try {
    await goInstall(tool, building, go, installation);
    const path = cachedToolPath(tool, environment);
    await rename(join(building, fileNameOf(tool.builtAs)), path);
    await writeChecksum(path);
    return path;
  } finally {
    await rm(building, { recursive: true, force: true });
  }
}

/** The first Go that fetches a newer one by itself where a module asks for it. */
const selfUpdatingMinor = 21;

/** The oldest that builds the tools as it is. */
const buildingMinor = 25;

interface Go {
  readonly environment: NodeJS.ProcessEnv;
  /** The settings because of which checksums of some downloads are not checked against Go's database. */
  readonly unverifiedBy: readonly string[];
}

/** Settings of Go that leave modules out of its checksum database, and when they do. */
const sumSettings: Readonly<Record<string, (value: string) => boolean>> = {
  GOSUMDB: (value) => value === "off",
  GONOSUMDB: (value) => value !== "",
  GOPRIVATE: (value) => value !== "",
  GONOSUMCHECK: (value) => value !== "" && value !== "0",
  GOFLAGS: (value) => /(?:^|\s)-?-insecure\b/.test(value),
};

/**
 * The environment in which Go builds a tool. It lets an older Go fetch a newer one even where an image pins
 * its version; a Go before 1.21 cannot do that.
 * @throws Error where there is no Go, or one that is too old.
 */
async function goFor(tool: GoTool, given: ToolEnvironment): Promise<Go> {
  // For another platform Go would put the binary elsewhere, and it would not run here.
  const { GOOS: _system, GOARCH: _architecture, ...inherited } = given;
  let said: string;
  try {
    const asked = ["GOVERSION", ...Object.keys(sumSettings)];
    ({ stdout: said } = await execute("go", ["env", ...asked], { env: inherited }));
  } catch (error) {
    const isAbsent = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isAbsent) throw error;
    throw new Error(`Go is not on PATH; ${tool.name} cannot be built without it`, { cause: error });
  }
  const [version = "", ...values] = said.split("\n");
  const minor = Number(/^go1\.(\d+)/.exec(version)?.[1] ?? 0);
  if (minor < selfUpdatingMinor) {
    throw new Error(
      `Go is ${version.trim()}; ${tool.name} needs 1.25, which Go 1.21 and later fetch by themselves`,
    );
  }
  const environment = minor >= buildingMinor ? inherited : { ...inherited, GOTOOLCHAIN: "auto" };
  const unverifiedBy = Object.entries(sumSettings).flatMap(([name, switchesOff], at) => {
    // Go itself knows only those of its present version.
    const value = (values[at] ?? "").trim() || (inherited[name] ?? "");
    return switchesOff(value) ? [`${name}=${value}`] : [];
  });
  return { environment, unverifiedBy };
}

function goInstall(
  { module }: GoTool,
  binDirectory: string,
  go: NodeJS.ProcessEnv,
  { onOutput, signal }: ToolInstallation,
): Promise<void> {
  const child = spawn("go", ["install", module], {
    env: { ...go, GOBIN: binDirectory, CGO_ENABLED: "0" },
    stdio: ["ignore", "ignore", "pipe"],
    signal,
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    lastWords = `${lastWords}${text}`.slice(-2_000);
    onOutput?.(text);
  });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => {
      if (code === 0) done();
      else fail(new Error(`go install ${module} failed:\n${lastWords.trim()}`));
    });
  });
}
