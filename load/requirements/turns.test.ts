import { expect, test } from "vitest";

import { loadChecks } from "./checks.ts";
import { turnsOf } from "./turns.ts";

test("with endpoints of their own all checks are one lane, in their order", () => {
  expect(turnsOf(loadChecks, { makesEndpoints: true })).toEqual([[loadChecks]]);
});

test("on one endpoint what leaves the workers free comes first, then each operation's checks side by side", () => {
  const turns = turnsOf(loadChecks, { makesEndpoints: false });
  const lanes = turns.at(-1) ?? [];
  expect(turns.slice(0, -1).every((turn) => turn.length === 1 && turn[0]?.length === 1)).toBe(true);
  expect(lanes.map((lane) => lane[0]?.usesUp)).toEqual(
    expect.arrayContaining(["cancel", "status", "stream"]),
  );
  const firstOfCancel = lanes.find((lane) => lane[0]?.usesUp === "cancel")?.[0];
  expect(firstOfCancel?.name).toBe("rate/limit-of-cancel");
  expect(turns.flat(2).toSorted(byName)).toEqual(loadChecks.toSorted(byName));
});

function byName({ name: one }: { name: string }, { name: other }: { name: string }): number {
  return one < other ? -1 : 1;
}
