import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { blockWith } from "../../test/docs/pages.ts";
import { root } from "../../test/project.ts";

const run = promisify(execFile);
const library = "docs/use-as-a-library.md";

/** Makes a reader's project that depends on the built package. */
function project(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory();
  const modules = join(directory, "node_modules");
  mkdirSync(modules);
  symlinkSync(root, join(modules, "queueproof"));
  for (const name of ["vitest", "@types"]) {
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  writeFileSync(join(directory, "package.json"), '{"type": "module"}\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return directory;
}

async function typeErrors(directory: string, names: readonly string[]): Promise<string> {
  const compiler = join(root, "node_modules/typescript-7/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
  const own = ["--target", "es2023", "--types", "node", ...names];
  return run(process.execPath, [compiler, ...options, ...own], { cwd: directory }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error instanceof Error && "stdout" in error ? String(error.stdout) : ""),
  );
}

/** Code around the samples that makes each one a whole test. */
const inVitest: Readonly<Record<string, string>> = {
  "readme.test.ts": `import { expect, test } from "vitest";
${blockWith("README.md", "ts").text}
test("it answers", async () => {
  expect((await fetch(api.controlUrl ?? "")).status).toBeLessThan(500);
  await api.stop();
});
`,
  "double.test.ts": `${blockWith(library, "ts", "import { startReference }").text}
test("it answers", async () => {
  const headers = { authorization: api.apiKey };
  const answer = await fetch(\`\${api.baseUrl}/v2/\${api.endpointId}/health\`, { headers });
  expect(answer.status).toBe(200);
});
`,
  "control.test.ts": `import { startReference } from "queueproof";
import { expect, test } from "vitest";
test("it is controlled", async () => {
${blockWith(library, "ts", "endpoint.advance").text}
  expect((await fetch(endpoint.url)).status).toBe(404);
  await api.stop();
});
`,
  "suite.test.ts": `import { startReference } from "queueproof";
import { expect, test } from "vitest";
${blockWith(library, "ts", "runContract").text.replace(
  /\n\n(.*)$/s,
  (_, body: string) => `
test("it keeps the contract", async () => {
  const server = await startReference();
  const { baseUrl, controlUrl } = server;
  ${body}
  await server.stop();
});
`,
)}`,
};

describe("the samples in TypeScript", () => {
  test("of the package are typed and run", async () => {
    const directory = project(inVitest);
    expect(await typeErrors(directory, Object.keys(inVitest))).toBe("");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const patient = ["--testTimeout=120000", "--hookTimeout=120000"];
    const words = [vitest, "run", "--root", directory, "--reporter=json", ...patient];
    const { stdout } = await run(process.execPath, words, { cwd: directory });
    expect(JSON.parse(stdout)).toMatchObject({ numPassedTests: 4, numFailedTests: 0 });
  });

  test("of a scenario is typed", async () => {
    const { text } = blockWith("docs/write-a-scenario.md", "ts", "Scenario = {");
    const from = JSON.stringify(join(root, "scenarios/scenario.ts"));
    const sample = `import type { Scenario } from ${from};
declare const plan: Scenario["plan"];
${text}`;
    const directory = project({ "scenario.ts": sample });
    expect(await typeErrors(directory, ["scenario.ts", "--allowImportingTsExtensions"])).toBe("");
  });
});
