import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnSharedJobs } from "./shared-jobs.ts";

const learned = ["equal-inputs-share-a-job"];

test.each([
  { what: "equal inputs by one job", seen: ["a 1", "b 2", "a 1"], facts: learned },
  { what: "equal inputs by jobs of their own", seen: ["a 1", "b 2", "c 1"], facts: [] },
  { what: "other inputs by one job, too", seen: ["a 1", "b 2", "b 1", "a 1"], facts: [] },
  { what: "all by one job", seen: ["a 1", "a 1", "a 1"], facts: [] },
])("where submissions answer $what, $facts is learned", ({ seen, facts }) => {
  const discovery = new Discovery(new Redactor());
  const vain = seen.map((each) => {
    const [id = "", value] = each.split(" ");
    const given = { operation: "run", sent: { input: { value } } } as const;
    return learnSharedJobs(discovery, exchangeOf({ id, status: "IN_QUEUE" }, given));
  });
  expect(vain.filter((why) => why !== undefined)).toHaveLength(facts.length);
  expect(discovery.learned.map(({ id }) => id)).toEqual(facts);
});
