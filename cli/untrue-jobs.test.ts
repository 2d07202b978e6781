import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { withOwnersHandler } from "../test/owners-handler.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { runCommandLine } from "./program.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const times = { quickMs: 50, imageMs: [16_000, 17_000] } as const;

test("a jobs file that is not true of a kind takes that kind away, and the run says so", async () => {
  const server = await startReference({
    behaviour: withOwnersHandler(specified, times),
    control: false,
  });
  const workingDirectory = temporaryDirectory();
  const untrue = { quick: { input: { prompt: null }, atMostMs: 1000 } };
  const only = ["--only", "SYNC-01", "--only", "SUBM-01"];
  writeFileSync(join(workingDirectory, "jobs.json"), JSON.stringify(untrue));
  const io = fakeIo({ workingDirectory });
  const where = ["--base-url", server.baseUrl, "--endpoint", server.endpointId];
  const words = ["contract", ...where, "--api-key", server.apiKey, "--jobs", "jobs.json"];
  try {
    expect(await runCommandLine([...words, ...only], io)).toBe(0);
    expect(io.output()).toContain(
      "the jobs file is not true of its quick job: it should end COMPLETED",
    );
    expect(io.output()).toContain("but it ended FAILED");
    expect(io.output()).toContain("1 of 136 holds");
  } finally {
    await server.stop();
  }
});
