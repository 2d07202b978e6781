import { readFileSync } from "node:fs";

interface Installation {
  /** The folder of package.json. */
  readonly folder: URL;
  readonly version: string;
}

let installation: Installation | undefined;

/** The version in package.json. */
export function toolVersion(): string {
  installation ??= installationAbove(import.meta.url);
  return installation.version;
}

/** Where a file of this installation lies; `path` is relative to package.json. */
export function installedFile(path: string): URL {
  installation ??= installationAbove(import.meta.url);
  return new URL(path, installation.folder);
}

/** package.json stands above both the sources and the build. */
function installationAbove(url: string): Installation {
  const folder = new URL("../", url);
  if (folder.href === url)
    throw new Error("package.json of queueproof is missing from the installation");
  const version = versionIn(new URL("package.json", folder));
  return version === undefined ? installationAbove(folder.href) : { folder, version };
}

function versionIn(manifestFile: URL): string | undefined {
  let text: string;
  try {
    text = readFileSync(manifestFile, "utf8");
  } catch {
    return undefined;
  }
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== "object" || manifest === null) return undefined;
  const named = "name" in manifest && manifest.name === "queueproof" && "version" in manifest;
  return named ? String(manifest.version) : undefined;
}
