import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { realK6 } from "../test/load/senders.ts";
import { parseReport } from "../reports/parse-report.ts";
import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

const { k6, reason } = await realK6();

describe("scenarios", () => {
  test.skipIf(k6 === undefined)(
    `are answered in the report, and k6's own stands beside it${reason && ` (${reason})`}`,
    async () => {
      const workingDirectory = temporaryDirectory();
      const io = fakeIo({ workingDirectory, environment: { ...process.env, K6_PATH: k6?.path } });
      const words = ["load", "whole-jobs", "burst-requests", "--reference", "--duration", "3s"];
      const code = await runCommandLine([...words, "--format", "json,md"], io);

      const directory = join(workingDirectory, "reports", "latest");
      const report = parseReport(await readFile(join(directory, "report.json"), "utf8"), "it");
      const entry = report.load.find(({ scenario }) => scenario === "load/k6/whole-jobs");
      // On a machine that is too busy, k6 decides nothing.
      expect(["pass", "inconclusive"]).toContain(entry?.verdict);
      expect(code).toBe(0);
      expect(entry?.figures["jobs"]).toBeGreaterThan(0);
      const decided = report.requirements.filter(({ verdict }) => verdict === "pass");
      expect(decided.map(({ id }) => id)).toContain("RATE-08");
      expect(await readFile(join(directory, "report.md"), "utf8")).toContain("## Load scenarios");
      expect(await readFile(join(directory, "k6", "whole-jobs.html"), "utf8")).toContain("<html");
    },
  );
});
