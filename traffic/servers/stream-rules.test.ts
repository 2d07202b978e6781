import { expect, test } from "vitest";

import { verdictsOf } from "../../test/traffic/judged-recording.ts";
import type { WrittenExchange } from "../../test/traffic/judged-recording.ts";

/** A read of the stream before the end or after it; `lost`: its answer is not known. */
type Read = { readonly before: string } | { readonly after: string } | "lost";

const lettersOf = (text: string): readonly string[] => text.match(/./g) ?? [];

const chunksOf = (text: string) => lettersOf(text).map((output) => ({ output, metrics: {} }));

/** What the reads of a job show of STRM-02 whose output is these letters. */
function shownBy(output: string, reads: readonly Read[], isSoleClient = true): string {
  const read = (atMs: number, each: Read): WrittenExchange => ({
    atMs,
    target: "/v2/e/stream/j",
    ...(each === "lost"
      ? { isBrokenOff: true }
      : { got: chunksOf("before" in each ? each.before : each.after) }),
  });
  const isBefore = (each: Read): boolean => each !== "lost" && "before" in each;
  const exchanges: readonly WrittenExchange[] = [
    {
      atMs: 0,
      method: "POST",
      target: "/v2/e/run",
      sent: { input: {} },
      got: { id: "j", status: "IN_QUEUE" },
    },
    ...reads.filter(isBefore).map((each, at) => read(10 + at * 10, each)),
    {
      atMs: 100,
      target: "/v2/e/status/j",
      got: { id: "j", status: "COMPLETED", output: lettersOf(output) },
    },
    ...reads.filter((each) => !isBefore(each)).map((each, at) => read(110 + at * 10, each)),
  ];
  return verdictsOf(exchanges, { isSoleClient })["STRM-02"] ?? "unseen";
}

test.each([
  { what: "all at once", reads: [{ after: "abca" }] },
  { what: "all, again and again", reads: [{ after: "abca" }, { after: "abca" }] },
  { what: "a part before the end, the rest after it", reads: [{ before: "ab" }, { after: "ca" }] },
  { what: "what there is, anew each time", reads: [{ before: "ab" }, { after: "abca" }] },
])("$what holds", ({ reads }) => {
  expect(shownBy("abca", reads)).toBe("pass");
});

test.each([
  { what: "one is missing", reads: [{ after: "aca" }, { after: "" }] },
  { what: "one of two equal ones is missing", reads: [{ after: "abc" }, { after: "abc" }] },
  { what: "one comes twice", reads: [{ before: "ab" }, { after: "bca" }, { after: "" }] },
  { what: "a later read begins with the last one", reads: [{ after: "abca" }, { after: "ca" }] },
  { what: "the order is another", reads: [{ after: "acba" }, { after: "" }] },
])("where $what it fails", ({ reads }) => {
  expect(shownBy("abca", reads)).toBe("fail");
});

test.each([
  { what: "not read to the end", output: "abca", reads: [{ after: "ab" }] },
  {
    what: "whose output is something else",
    output: "xyz",
    reads: [{ after: "ab" }, { after: "" }],
  },
  {
    what: "of which an answer is not known",
    output: "abca",
    reads: ["lost", { after: "a" }, { after: "" }],
  },
] as const)("a stream $what shows nothing", ({ output, reads }) => {
  expect(shownBy(output, reads)).toBe("unseen");
});

test("where others may have read it, too, it shows nothing", () => {
  expect(shownBy("abca", [{ after: "aca" }, { after: "" }], false)).toBe("unseen");
});
