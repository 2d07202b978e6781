import { expect, test } from "vitest";

import { faultNamed } from "../proof/faults/faults.ts";
import { changed, specified } from "../reference/behaviour.ts";
import { startReference } from "../reference/start-reference.ts";
import { judgeFrom, told } from "../test/strangers/judge-stranger.ts";
import { apiKey } from "../test/strangers/kinds.ts";

test("a cancel that frees no worker is one cause, and what follows it is not run", async () => {
  const fault = faultNamed("cancel/worker-works-to-the-end");
  const behaviour = changed(specified, fault?.change(specified) ?? {});
  const endpointId = "e";
  const reference = await startReference({
    behaviour,
    endpointId,
    apiKey,
    control: false,
    defaultEndpoint: { workers: 2 },
  });
  const judged = await judgeFrom(reference, [], {
    endpointId,
    apiKey,
    capabilities: ["handler"],
    timeBudgetMs: 10_000,
    only: ["CANC-*", "STAT-*", "SYNC-*"],
  });
  expect(judged, told(judged)).toEqual({ learned: ["cancel-keeps-worker"], beyond: [] });
});
