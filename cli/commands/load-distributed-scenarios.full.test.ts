import { execFile } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

import { segmentArguments } from "../../load/k6/segment.ts";
import { realK6 } from "../../test/load/senders.ts";
import { instantServer } from "../../test/load/instant-server.ts";
import { parseReport } from "../../reports/parse-report.ts";
import type { Report } from "../../reports/model.ts";
import { scenarios } from "../../scenarios/scenarios.ts";
import { runCommandLine } from "../program.ts";
import { distribute, manifestOf, mounted } from "../../test/cli/distribute.ts";
import type { Distributed } from "../../test/cli/distribute.ts";
import { crdValidator, textIn } from "../../test/cli/manifests.ts";

const { k6, reason } = await realK6();
const execute = promisify(execFile);

const inCluster = scenarios.filter(({ unshared }) => unshared?.k8s === undefined);
const names = inCluster.map(({ name }) => name);
const handler = ["--capability", "handler"];

describe("load --distributed k8s NAME", () => {
  const crd = process.env["K6_OPERATOR_CRD"];
  test.skipIf(crd === undefined)(
    "writes what the operator's own definition takes (K6_OPERATOR_CRD names its file)",
    async () => {
      const validate = crdValidator(parse(await readFile(crd ?? "", "utf8")));
      const io = await distribute(...names, ...handler);
      for (const name of names) {
        expect(validate(await manifestOf(io, `${name}/testrun.yaml`))).toEqual([]);
      }
    },
  );

  test.skipIf(k6 === undefined)(
    `is answered from the points that the operator's runners leave${reason && ` (${reason})`}`,
    async () => {
      const size = ["--duration", "2s", "--scale", "0.5", "--runners", "3"];
      const io = await distribute("whole-jobs", ...handler, ...size);
      const server = await instantServer();
      onTestFinished(server.stop);

      const before = await together(io, 3);
      expect(before.verdict).toBe("inconclusive");
      expect(before.reason).toMatch(/the points in .*queueproof-whole-jobs-1.*ENOENT/);
      // Once, before any of them begins: a file that is written anew is empty for a moment.
      const folder = await mounted(await manifestOf(io, "whole-jobs/configmap.yaml"), io);
      const runner = { io, folder, url: server.url };
      await Promise.all([1, 2, 3].map((index) => runAsTheOperatorDoes(runner, index)));
      const { verdict, reason: why, figures } = await together(io, 0);
      expect({ verdict, why }).toEqual({ verdict: "pass", why: undefined });
      // The load is an eighth of 1000 requests in 10 s, and lasts 2 s.
      expect(figures).toMatchObject({ jobs: 25, "jobs lost": 0, "wrong results": 0 });
      expect(server.counts["POST /run"]).toBe(25);
    },
  );
});

/** Runs k6 with the arguments of the TestRun and of one runner; the volumes are folders of this machine. */
async function runAsTheOperatorDoes(
  { io, folder, url }: { readonly io: Distributed; readonly folder: string; readonly url: string },
  index: number,
): Promise<void> {
  const testRun = await manifestOf(io, "whole-jobs/testrun.yaml");
  const points = join(io.workingDirectory, "out", `queueproof-whole-jobs-${index}`);
  await mkdir(points, { recursive: true });
  const script = textIn(testRun, "spec", "script", "localFile").replace("/queueproof", folder);
  const words = textIn(testRun, "spec", "arguments").replace("/points", points).split(" ");
  const settings = textIn(testRun, "spec", "runner", "env", "0", "value");
  await execute(
    k6?.path ?? "",
    ["run", "--quiet", "--address=", ...segmentArguments({ index, of: 3 }), ...words, script],
    {
      env: {
        ...process.env,
        QUEUEPROOF_API_KEY: "key",
        QUEUEPROOF_SCENARIO: settings.replace("https://api.test/v2/e%201", url),
      },
    },
  );
}

/** Merges the reports of all runners and returns the scenario's entry. */
async function together(io: Distributed, exitCode: number): Promise<Report["load"][number]> {
  const reports = [1, 2, 3].map((runner) => `out/queueproof-whole-jobs-${runner}/report.json`);
  const words = ["report", ...reports, "--report", "merged", "--format", "json"];
  expect(await runCommandLine(words, io)).toBe(exitCode);
  const text = await readFile(join(io.workingDirectory, "merged", "report.json"), "utf8");
  const [entry] = parseReport(text, "merged").load;
  if (entry === undefined) throw new Error("nothing is said of the scenario");
  return entry;
}
