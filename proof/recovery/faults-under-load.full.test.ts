import { describe, test } from "vitest";

import { ensureTool } from "../../load/go-tools/ensure.ts";
import { toxiproxyTool } from "../../load/toxiproxy/tool.ts";
import { isInCi } from "../../test/tools.ts";
import { foundUnder } from "./rig.ts";
import { storeFaults } from "./store-faults.ts";

const toxiproxy = await realToxiproxy();

describe.concurrent("a server that keeps everything breaks no sentence", () => {
  test.for(["kill", "restart", "pause", "worker-loss"] as const)(
    "under the fault %s",
    async (name, { expect }) => {
      const finding = await foundUnder(name, { toxiproxyPath: toxiproxy.path });
      expect(finding.statements?.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(allHold);
      expect(finding.verdict, finding.reason).toBe("pass");
    },
  );

  describe.skipIf(toxiproxy.path === undefined)(`on a network ${toxiproxy.reason}`, () => {
    test.for(["slow-network", "cut-network"] as const)(
      "under the fault %s",
      async (name, { expect }) => {
        const finding = await foundUnder(name, { toxiproxyPath: toxiproxy.path });
        expect(finding.statements?.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual(allHold);
        expect(finding.verdict, finding.reason).toBe("pass");
      },
    );
  });
});

const allHold = [
  "there-and-ended pass",
  "processed-once pass",
  "ended-stays-ended pass",
  "ids-unique pass",
  "results-same pass",
  "timers-go-on pass",
  "retention-goes-on pass",
  "webhooks pass",
  "counts pass",
];

describe.concurrent("a server that is killed under load", () => {
  test.for(storeFaults)(
    "and that $name breaks $breaks",
    async ({ name: bug, breaks }, { expect }) => {
      const finding = await foundUnder("kill", { bug });
      const broken = finding.statements?.filter(({ verdict }) => verdict === "fail") ?? [];
      expect(
        broken.map(({ id }) => id),
        broken.map(({ reason = "" }) => reason).join("; "),
      ).toEqual(expect.arrayContaining([...breaks]));
      expect(finding.verdict).toBe("fail");
    },
  );
});

/** Toxiproxy, or why tests of the network are skipped. In CI its absence is an error. */
async function realToxiproxy(): Promise<{ readonly path?: string; readonly reason: string }> {
  const found = await ensureTool(toxiproxyTool, { environment: process.env });
  if (!("missing" in found)) return { path: found.path, reason: "" };
  if (isInCi()) throw new Error(`Toxiproxy has to run here: ${found.missing}`);
  return { reason: found.missing };
}
