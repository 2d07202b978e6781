import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnSharedJobs } from "./shared-jobs.ts";

test.each([
  { ids: ["a", "a"], values: [1, 1], isShared: true },
  { ids: ["a", "b"], values: [1, 1], isShared: false },
  { ids: ["a", "a"], values: [1, 2], isShared: false },
] as const)("jobs $ids of the inputs $values share one: $isShared", ({ ids, values, isShared }) => {
  const discovery = new Discovery(new Redactor());
  const [first, second] = ids.map((id, at) =>
    exchangeOf(
      { id, status: "IN_QUEUE" },
      { operation: "run", sent: { input: { value: values[at] } } },
    ),
  );
  if (first === undefined || second === undefined) throw new Error("two were submitted");
  expect(learnSharedJobs(discovery, first)).toBeUndefined();
  expect(learnSharedJobs(discovery, second) !== undefined).toBe(isShared);
  expect(discovery.learned.map(({ id }) => id)).toEqual(
    isShared ? ["equal-inputs-share-a-job"] : [],
  );
});
