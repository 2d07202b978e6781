import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

import { specified, startReference } from "../reference/index.ts";
import { withOwnersHandler } from "../testing/owners-handler.ts";
import { fakeIo } from "./testing/fake-io.ts";
import { runCommandLine } from "./program.ts";
import { temporaryDirectory } from "./testing/temporary-directory.ts";

const times = { quickMs: 50, imageMs: [16_000, 17_000] } as const;

test("a jobs file that is not true ends the command line with 3, and nothing else is sent", async () => {
  const server = await startReference({
    behaviour: withOwnersHandler(specified, times),
    control: false,
  });
  const workingDirectory = temporaryDirectory();
  const untrue = { quick: { input: { prompt: null }, atMostMs: 1000 } };
  writeFileSync(join(workingDirectory, "jobs.json"), JSON.stringify(untrue));
  const io = fakeIo({ workingDirectory });
  const where = ["--base-url", server.baseUrl, "--endpoint", server.endpointId];
  const words = ["contract", ...where, "--api-key", server.apiKey, "--jobs", "jobs.json"];
  try {
    expect(await runCommandLine(words, io)).toBe(3);
    expect(io.errors()).toContain("quick: it should end COMPLETED");
    expect(io.errors()).toContain("but it ended FAILED");
    const headers = { authorization: server.apiKey };
    const health = await fetch(`${server.baseUrl}/v2/${server.endpointId}/health`, { headers });
    expect(await health.json()).toMatchObject({ jobs: { completed: 0, failed: 1 } });
  } finally {
    await server.stop();
  }
});
