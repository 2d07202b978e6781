import { readFileSync } from "node:fs";

/** The version in package.json, which stands above both the sources and the build. */
export function toolVersion(): string {
  for (const path of ["../package.json", "../../package.json"]) {
    const found = versionIn(new URL(path, import.meta.url));
    if (found !== undefined) return found;
  }
  throw new Error("package.json of queueproof is missing from the installation");
}

function versionIn(url: URL): string | undefined {
  let text: string;
  try {
    text = readFileSync(url, "utf8");
  } catch {
    return undefined;
  }
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== "object" || manifest === null) return undefined;
  const named = "name" in manifest && manifest.name === "queueproof" && "version" in manifest;
  return named ? String(manifest.version) : undefined;
}
