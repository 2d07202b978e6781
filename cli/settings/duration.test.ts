import { describe, expect, test } from "vitest";
import { parseDurationMs } from "./duration.ts";

describe("a duration", () => {
  test.each([
    { text: "500ms", ms: 500 },
    { text: "30s", ms: 30_000 },
    { text: "2m", ms: 120_000 },
    { text: "1.5h", ms: 5_400_000 },
    { text: "7d", ms: 604_800_000 },
    { text: "0s", ms: 0 },
    { text: "full", ms: Number.MAX_SAFE_INTEGER },
  ])("$text is $ms ms", ({ text, ms }) => {
    expect(parseDurationMs(text)).toBe(ms);
  });

  test.each(["", "2", "m", "-1s", "2 m", "1e3s", "2M", "12m30s", "Full"])(
    "%j is refused",
    (text) => {
      expect(() => parseDurationMs(text)).toThrow(RangeError);
    },
  );
});
