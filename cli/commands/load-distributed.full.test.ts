import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { realK6 } from "../../test/load/senders.ts";
import { distribute, manifestOf, mounted } from "../../test/cli/distribute.ts";
import { crdValidator, memberIn, membersOf, textIn } from "../../test/cli/manifests.ts";

const { k6, reason } = await realK6();
const execute = promisify(execFile);

describe("load --distributed k8s", () => {
  const crd = process.env["K6_OPERATOR_CRD"];
  test.skipIf(crd === undefined)(
    "writes what the operator's own definition takes (K6_OPERATOR_CRD names its file)",
    async () => {
      const validate = crdValidator(parse(await readFile(crd ?? "", "utf8")));
      const manifest = await manifestOf(await distribute(), "testrun.yaml");
      expect(validate(manifest)).toEqual([]);
      const spec = membersOf(manifest, "spec");
      for (const wrong of [
        { ...spec, parallelism: "2" },
        { ...spec, paralelism: 2 },
      ]) {
        expect(validate({ ...membersOf(manifest), spec: wrong })).toHaveLength(1);
      }
    },
  );

  test.skipIf(k6 === undefined)(
    `writes scripts that k6 reads as the operator's initializer does${reason && ` (${reason})`}`,
    async () => {
      const io = await distribute("--runners", "4");
      const folder = await mounted(await manifestOf(io, "configmap.yaml"), io);
      const testRun = await manifestOf(io, "testrun.yaml");
      const script = textIn(testRun, "spec", "script", "localFile").replace("/queueproof", folder);
      const [scenario] = [textIn(testRun, "spec", "initializer", "env", "0", "value")];
      const archive = join(io.workingDirectory, "archive.tar");
      const archiveWords = [
        "-O",
        archive,
        "--no-thresholds",
        "-e",
        `QUEUEPROOF_SCENARIO=${scenario}`,
      ];
      const path = k6?.path ?? "";
      await execute(path, ["archive", script, ...archiveWords]);
      const { stdout } = await execute(path, ["inspect", "--execution-requirements", archive]);
      // The operator refuses a test with fewer virtual users than runners.
      expect(memberIn(JSON.parse(stdout), "maxVUs")).toBeGreaterThanOrEqual(4);
    },
  );
});
