import { expect, test } from "vitest";

import { changedLines, firstLines, lineCount } from "./changed-lines.ts";

const diff = `diff --git a/reference/limits.ts b/reference/limits.ts
index 1..2 100644
--- a/reference/limits.ts
+++ b/reference/limits.ts
@@ -3 +3,2 @@ export class Limits {
-  old
+  new
+  newer
@@ -20,4 +21,0 @@
-gone
@@ -40,0 +38 @@
+added
diff --git a/reference/job.ts b/reference/job.ts
--- a/reference/job.ts
+++ b/reference/job.ts
@@ -1,9 +1,10 @@
`;
const ranges = [
  { file: "reference/limits.ts", first: 3, last: 4 },
  { file: "reference/limits.ts", first: 38, last: 38 },
  { file: "reference/job.ts", first: 1, last: 10 },
];

test("the lines of a diff are those that are new, not those that are gone", () => {
  expect(changedLines(diff)).toEqual(ranges);
  expect(lineCount(ranges)).toBe(13);
});

test("no more lines are taken than are wanted, the first ones", () => {
  expect(firstLines(ranges, 5)).toEqual([
    ...ranges.slice(0, 2),
    { file: "reference/job.ts", first: 1, last: 2 },
  ]);
  expect(firstLines(ranges, 13)).toEqual(ranges);
  expect(firstLines(ranges, 0)).toEqual([]);
});
