import { expect, test } from "vitest";

import { parseSegment, segmentArguments } from "./segment.ts";

test("the shares of all processes follow each other", () => {
  expect(segmentArguments({ index: 2, of: 3 })).toEqual([
    "--execution-segment=1/3:2/3",
    "--execution-segment-sequence=0,1/3,2/3,1",
  ]);
  expect(segmentArguments({ index: 1, of: 1 })[0]).toBe("--execution-segment=0:1");
});

test.each([
  ["1/3", { index: 1, of: 3 }],
  ["3/3", { index: 3, of: 3 }],
  ["0/3", undefined],
  ["4/3", undefined],
  ["1", undefined],
])("%s is read as %o", (text, segment) => {
  expect(parseSegment(text)).toEqual(segment);
});
