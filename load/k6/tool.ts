import type { GoTool } from "../go-tools/find.ts";

/** k6, in the version that the scenarios were written on: its module is named here alone. */
export const k6Tool: GoTool = {
  name: "k6",
  binary: "k6",
  variable: "K6_PATH",
  module: "go.k6.io/k6@v1.8.1",
  builtAs: "k6",
  versionWord: "version",
  readVersion: readK6Version,
  whyUnsupported: (version) =>
    isSupportedK6(version) ? undefined : "1.8 and later or 2.x is needed",
  howToGetIt:
    "`queueproof k6 install` builds it where Go is installed; K6_PATH names one that exists",
};

/** The version in what `k6 version` prints, without its v. */
export function readK6Version(said: string): string | undefined {
  return /^k6(?:\.exe)? v(\d+\.\d+\.\d+\S*)/m.exec(said)?.[1];
}

/** Whether the scenarios are known to run on it: 1.8 and later of 1, and 2. */
export function isSupportedK6(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major === 2 || (major === 1 && minor >= 8);
}
