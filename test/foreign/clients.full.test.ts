import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { certificatesFor } from "../../traffic/certificates.ts";
import { judgeClient } from "../../traffic/clients/judge-client.ts";
import type { ClientTask } from "../../traffic/clients/client-tasks.ts";
import { idsThatJudge, requirements } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { withoutOwnVariables } from "../../traffic/clients/variables.ts";
import { temporaryDirectory } from "../cli/temporary-directory.ts";
import { root } from "../project.ts";
import { isInCi } from "../tools.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pythonWithRunpod } from "./python.ts";

const { missing, path: python } = pythonWithRunpod();
const packages = join(root, ".cache/clients");
const missingPackages = whyNoPackages();

/** What `npm run clients` installs; on a user's machine the tests that need it are skipped with the reason. */
function whyNoPackages(): string {
  if (existsSync(join(packages, "node_modules/@runpod/ai-sdk-provider"))) return missing;
  const reason = "there are no clients in .cache/clients. Run `npm run clients`.";
  if (isInCi()) throw new Error(reason);
  return reason;
}

function scriptAt(name: string): string {
  return fileURLToPath(new URL(`clients/${name}`, import.meta.url));
}

interface ForeignClient {
  readonly command: readonly [string, ...string[]];
  readonly tasks: readonly ClientTask[];
  readonly workingDirectory?: string;
  /** Whether the driver polls by itself. */
  readonly isPolledHere?: true;
  /** What cannot be asked of it, or takes minutes. */
  readonly except?: readonly RequirementId[];
}

/** The requirements that it breaks, over TLS and without. */
async function brokenBy(client: ForeignClient): Promise<readonly string[]> {
  const { command, tasks, except = [], workingDirectory = root, isPolledHere = false } = client;
  const { ca, server } = await certificatesFor("127.0.0.1", "localhost");
  const caFile = join(temporaryDirectory(), "authority.pem");
  writeFileSync(caFile, ca);
  const left = new Set<string>(["CLNT-31", ...except]);
  const only = idsThatJudge("client").filter(
    (id) => requirements[id].profile !== "receiver" && !left.has(id),
  );
  const results = await judgeClient({
    program: { command, environment: withoutOwnVariables(process.env), workingDirectory },
    tasks,
    only: new Set(only),
    isPlain: false,
    tls: { ...server, caFile },
    dialect: "runpod",
    judgesPolls: !isPolledHere,
    signal: new AbortController().signal,
    onResults: () => undefined,
  });
  const failed = results.filter(({ verdict }) => verdict === "fail");
  return [...new Set(failed.flatMap(({ covers }) => covers))].toSorted();
}

describe.skipIf(missing !== "")(`clients of the live service ${missing}`, () => {
  test("runpod, synchronous: causes are lost, and a cancelled stream never ends", async () => {
    const command = [python, scriptAt("runpod_sync.py")] as const;
    const tasks = ["run", "stream", "cancel", "runsync"] as const;
    const broken = await brokenBy({ command, tasks });
    const always = ["CLNT-07", "CLNT-15", "CLNT-22", "CLNT-23", "CLNT-32", "CLNT-40"];
    expect(broken).toEqual(expect.arrayContaining(always));
    // It gives up a read after 10 s, as long as the service holds one: on a busy machine either is first.
    const known = new Set([...always, "CLNT-10", "CLNT-24", "CLNT-43", "CLNT-51"]);
    expect(broken.filter((id) => !known.has(id))).toEqual([]);
  });

  test("runpod, asyncio: no status of an answer is looked at", async () => {
    const command = [python, scriptAt("runpod_asyncio.py")] as const;
    const broken = await brokenBy({ command, tasks: ["run", "stream", "cancel"] });
    expect(broken).toEqual(
      expect.arrayContaining(["CLNT-12", "CLNT-13", "CLNT-14", "CLNT-17", "CLNT-22", "CLNT-42"]),
    );
  });

  test("runpod-sdk: an error that nobody catches prints the key", async () => {
    const broken = await brokenBy({
      command: [process.execPath, scriptAt("runpod-sdk.mjs")],
      tasks: ["run", "stream", "cancel", "runsync"],
      isPolledHere: true,
    });
    expect(broken).toEqual(["CLNT-07", "CLNT-15", "CLNT-29", "CLNT-40", "CLNT-43"]);
  });
});

describe.skipIf(missingPackages !== "")(`more clients ${missingPackages}`, () => {
  test("langchain-runpod: a new job that is not found is lost", async () => {
    const broken = await brokenBy({
      command: [python, scriptAt("langchain_runpod_llm.py")],
      tasks: ["run"],
      // It makes a text of any output, as it says.
      except: ["CLNT-21"],
    });
    expect(broken).toEqual(["CLNT-07", "CLNT-15", "CLNT-42"]);
  });

  test("@runpod/ai-sdk-provider: a read that fails submits the job anew", async () => {
    const broken = await brokenBy({
      command: [process.execPath, scriptAt("runpod-ai-sdk-provider.mjs")],
      tasks: ["run", "runsync"],
      workingDirectory: packages,
    });
    expect(broken).toEqual([
      "CLNT-07",
      "CLNT-08",
      "CLNT-15",
      "CLNT-16",
      "CLNT-22",
      "CLNT-23",
      "CLNT-24",
      "CLNT-40",
    ]);
  });

  test("@runpod/mcp-server: a lost answer ends a job", async () => {
    const broken = await brokenBy({
      command: [process.execPath, scriptAt("runpod-mcp-server.mjs")],
      tasks: ["run", "runsync", "stream", "cancel", "retry"],
      workingDirectory: packages,
      isPolledHere: true,
    });
    expect(broken).toEqual(["CLNT-15", "CLNT-40"]);
  });
});
