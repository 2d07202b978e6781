import { expect, test } from "vitest";

import { jobsInWords } from "./job-count.ts";

test.each([
  { accepted: 5, more: 5, least: 5, most: 5, got: "5 more" },
  { accepted: 5, more: 6, least: 5, most: 5, got: "6 more" },
  { accepted: 5, more: 4, least: 5, most: 5, got: "4 more" },
  // Another check's submissions are under way, and its jobs are cancelled.
  { accepted: 5, more: 6, least: 0, most: 7, got: "5 to 7 more" },
  { accepted: 5, more: 3, least: 0, most: 5, got: "5 more" },
  { accepted: 5, more: 8, least: 0, most: 7, got: "8 more" },
])("$more more jobs where $accepted were accepted, at most $most", ({ got, ...created }) => {
  const expected = created.most > 5 ? "5 to 7 more" : "5 more";
  expect(jobsInWords(created)).toEqual({ expected, got });
});
