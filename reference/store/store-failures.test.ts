import { expect, test } from "vitest";

import {
  contradictionsAfterFailures,
  contradictionsAfterKills,
  writeFailures,
  runScriptWithFailures,
} from "../../test/store/run-script-with-failures.ts";

test("the script runs, and nothing that it did is missing after a restart", async () => {
  const { reported, contradictions, failed } = await runScriptWithFailures({
    decide: () => "done",
  });
  expect({ contradictions, failed, refusals: reported.refusals }).toEqual({
    contradictions: [],
    failed: undefined,
    refusals: 0,
  });
  const statuses = [...reported.jobs.values()].map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set(["COMPLETED", "CANCELLED", "gone"]));
});

test("a server killed before a write comes back with all that it has reported", async () => {
  expect(await contradictionsAfterKills(11)).toEqual([]);
});

test("a single write that fails is made good, and nobody hears of it", async () => {
  const { reported, contradictions, failed } = await runScriptWithFailures({
    decide: (write) => (write % 40 === 0 ? "fails" : "done"),
  });
  expect({ contradictions, failed, refusals: reported.refusals }).toEqual({
    contradictions: [],
    failed: undefined,
    refusals: 0,
  });
});

// store-failures.full.test.ts lets more writes fail; these are the first one and some of each kind.
const some = [1, 5, 33, 78];

test.each(Object.entries(writeFailures))(
  "what was reported is there afterwards where %s",
  async (_, failure) => {
    expect(await contradictionsAfterFailures(failure, some)).toEqual([]);
  },
);

test("a disk that stays full is reported at the end, by its cause", async () => {
  const { failed, reported } = await runScriptWithFailures({
    decide: (write) => (write > 60 ? "fails" : "done"),
  });
  expect(failed).toBe("at its end");
  expect(reported.refusals).toBeGreaterThan(0);
});
