import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { faultNamed } from "../proof/faults/faults.ts";
import type { Reference } from "../reference/start-reference.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const fault = faultNamed("auth/stream-takes-any-key");
const behaviour = changed(specified, fault?.change(specified) ?? {});

async function started(port: number): Promise<Reference> {
  const server = await startReference({ behaviour, port });
  onTestFinished(async () => server.stop());
  return server;
}

test("a target that goes down between two runs ends nothing, and is tried again when it is back", async () => {
  const workingDirectory = temporaryDirectory();
  const server = await started(0);
  const { port } = new URL(server.baseUrl);
  const prompts: string[] = [];
  /** What happens before each prompt, and the key that is then pressed. */
  const steps = [
    { key: "a", before: async () => server.stop() },
    { key: "r", before: async () => Promise.resolve() },
    { key: "r", before: async () => void (await started(Number(port))) },
    { key: "q", before: async () => Promise.resolve() },
  ];
  const io = fakeIo({
    workingDirectory,
    input: {
      readKey: async () => {
        const step = steps.shift();
        prompts.push(io.output().split("\n").at(-1) ?? "");
        await step?.before();
        return step?.key ?? "q";
      },
      ask: () => Promise.reject(new Error("nothing is asked")),
    },
  });
  const words = ["contract", "--watch", "--control", server.controlUrl ?? "", "--only", "AUTH-02"];

  expect(await runCommandLine(words, io)).toBe(1);

  // Requirements that failed before the target went down can still be run again.
  expect(prompts).toHaveLength(4);
  for (const prompt of prompts) expect(prompt).toContain("r what is not settled (1)");
  expect(io.errors().match(/^error: .*did not answer.*$/gm)).toHaveLength(2);
  const report = readFileSync(join(workingDirectory, "reports/latest/report.json"), "utf8");
  expect(JSON.parse(report)).toMatchObject({ summary: { requirements: { fail: 1 } } });
});
