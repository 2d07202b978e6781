import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { idsThatJudge, requirements } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { CheckResult } from "../../reports/model.ts";
import { certificatesFor } from "../../traffic/certificates.ts";
import { clientTasks } from "../../traffic/clients/client-tasks.ts";
import { judgeClient } from "../../traffic/clients/judge-client.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { clientFaults } from "./faults.ts";
import { clientVariations } from "./variations.ts";
import { writeClient } from "./faulty-client.ts";

let folder = "";
let tls: { readonly cert: string; readonly key: string; readonly caFile: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "queueproof-clients-"));
  const { ca, server } = await certificatesFor("127.0.0.1", "localhost");
  const caFile = join(folder, "authority.pem");
  await writeFile(caFile, ca);
  tls = { ...server, caFile };
});

afterAll(async () => rm(folder, { recursive: true, force: true }));

async function judged(
  program: string,
  only: readonly RequirementId[],
): Promise<readonly CheckResult[]> {
  return judgeClient({
    program: {
      command: [process.execPath, program],
      environment: withoutOwnVariables(process.env),
      workingDirectory: folder,
    },
    tasks: clientTasks,
    only: new Set(only),
    isPlain: false,
    tls,
    dialect: "spec",
    judgesPolls: true,
    signal: new AbortController().signal,
    onResults: () => undefined,
  });
}

function failedIn(results: readonly CheckResult[]): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === "fail")
    .map(
      ({ name, covers, mismatches }) => `${covers.join()} ${name}: ${JSON.stringify(mismatches)}`,
    );
}

const ofPrograms = idsThatJudge("client").filter((id) => requirements[id].profile !== "receiver");

describe.concurrent("the example client", () => {
  test("passes everything that a client can show", async () => {
    const results = await judged(await writeClient(join(folder, "clean")), ofPrograms);
    expect(failedIn(results)).toEqual([]);
    const passed = new Set(
      results.filter(({ verdict }) => verdict === "pass").flatMap(({ covers }) => covers),
    );
    // It sends neither a wait nor a policy.
    expect(ofPrograms.filter((id) => !passed.has(id))).toEqual(["CLNT-05"]);
  });

  test.each(clientVariations)("raises nothing: $name", async ({ name, changes }) => {
    const program = await writeClient(join(folder, name), changes);
    // CLNT-31 alone takes a minute and a half, and none of them changes what it is about.
    const results = await judged(
      program,
      ofPrograms.filter((id) => id !== "CLNT-31"),
    );
    expect(failedIn(results)).toEqual([]);
  });

  test.each(clientFaults)("with $name fails $caughtBy", async ({ name, caughtBy, changes }) => {
    const results = await judged(await writeClient(join(folder, name), changes), [caughtBy]);
    expect(
      results.filter(({ verdict }) => verdict === "fail").flatMap(({ covers }) => covers),
    ).toContain(caughtBy);
  });
});

test("every entry that a program can break has a fault", () => {
  const broken = new Set(clientFaults.map(({ caughtBy }) => caughtBy));
  expect(ofPrograms.filter((id) => !broken.has(id))).toEqual([]);
  expect(clientFaults.length).toBeGreaterThanOrEqual(60);
  expect(new Set(clientFaults.map(({ name }) => name)).size).toBe(clientFaults.length);
});
