import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { idsThatJudge, requirements } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { CheckResult } from "../../reports/model.ts";
import { certificatesFor } from "../../traffic/certificates.ts";
import { clientTasks } from "../../traffic/clients/client-tasks.ts";
import { judgeClient } from "../../traffic/clients/judge-client.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import type { ProgramFault } from "./client-fault.ts";
import { writeClient } from "./faulty-client.ts";

/** The requirements that a program can break. */
export const ofPrograms: readonly RequirementId[] = idsThatJudge("client").filter(
  (id) => requirements[id].profile !== "receiver",
);

/** Judges the example client with these changes by some requirements, in a folder of its own. */
export async function judged(
  changes: ProgramFault["changes"],
  only: readonly RequirementId[],
): Promise<readonly CheckResult[]> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-clients-"));
  try {
    const { ca, server } = await certificatesFor("127.0.0.1", "localhost");
    const caFile = join(folder, "authority.pem");
    await writeFile(caFile, ca);
    return await judgeClient({
      program: {
        command: [process.execPath, await writeClient(folder, changes)],
        environment: withoutOwnVariables(process.env),
        workingDirectory: folder,
      },
      tasks: clientTasks,
      only: new Set(only),
      isPlain: false,
      tls: { ...server, caFile },
      dialect: "spec",
      judgesPolls: true,
      signal: new AbortController().signal,
      onResults: () => undefined,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What failed, with its differences. */
export function failedIn(results: readonly CheckResult[]): readonly string[] {
  return results
    .filter(({ verdict }) => verdict === "fail")
    .map(
      ({ name, covers, mismatches }) => `${covers.join()} ${name}: ${JSON.stringify(mismatches)}`,
    );
}
