import { expect, test } from "vitest";

import { specified } from "../../reference/behaviour.ts";
import { tierOf } from "../../openapi/operations.ts";
import {
  closesAfter,
  codes,
  extendsChunks,
  informs,
  limitsTo,
  speaksHttp10,
} from "../../test/fronts/moods.ts";
import type { Mood } from "../../test/fronts/moods.ts";
import { burstOnReference } from "../../test/load/on-virtual-clock.ts";

test.each<[string, Mood]>([
  ["sends 102 and 103 before each answer", informs],
  ["closes a connection after 2 requests and says so", closesAfter(2)],
  ["closes a connection after every request", closesAfter(1)],
  ["speaks HTTP/1.0", speaksHttp10],
  ["sends chunks with extensions and a trailer", extendsChunks],
  ["compresses whatever was asked", codes("gzip")],
])("a burst is counted rightly through a front that %s", async (_what, mood) => {
  const { check, figures } = await burstOnReference("requests", specified, { mood });

  expect(check).toMatchObject({ verdict: "pass" });
  const { limit } = tierOf("requests");
  expect(figures.figures).toMatchObject({ accepted: limit, refused: 1, other: 0, unanswered: 0 });
});

test("says which other statuses came", async () => {
  const { check } = await burstOnReference("requests", specified, { mood: limitsTo(5, 503) });
  expect(check.reason).toMatch(/, 0 with 429, \d+ with 503$/);
});
