import { expect, test } from "vitest";

import { LoadLine } from "./progress.ts";

test("says nothing before something was sent", () => {
  const line = new LoadLine();
  expect(line.text(0)).toBe("");
  line.follow({ sent: 0, over: 0, accepted: 0, refused: 0 });
  expect(line.text(0)).toBe("");
});

test("shows the rate of about the last second, and what came of all requests", () => {
  const line = new LoadLine();
  const counts = { sent: 10, over: 4, accepted: 3, refused: 1 };
  line.follow(counts);
  expect(line.text(0)).toBe("0/s, 3 accepted, 1 refused, 6 in flight");

  Object.assign(counts, { sent: 60, over: 60, accepted: 20, refused: 39 });
  expect(line.text(500)).toBe("50/s, 20 accepted, 39 refused, 0 in flight");
  expect(line.text(1_000)).toBe("50/s, 20 accepted, 39 refused, 0 in flight");
  expect(line.text(2_500)).toBe("0/s, 20 accepted, 39 refused, 0 in flight");
});
