import { describe, expect, test } from "vitest";

import { countOf, readK6Summary, unsentReason } from "./summary.ts";

// The three shapes of summary that k6 1.8.1 gave for one run, shortened.
const shapes = {
  export: {
    root_group: {},
    metrics: {
      http_reqs: { count: 3, rate: 357.2 },
      "http_reqs{phase:x}": { count: 2, rate: 300, thresholds: { "count==4": true } },
      http_req_duration: { med: 0.6, "p(95)": 2.2, max: 2.5, thresholds: {} },
    },
  },
  handleSummary: {
    root_group: {},
    metrics: {
      http_reqs: { type: "counter", contains: "default", values: { count: 3, rate: 357.2 } },
      "http_reqs{phase:x}": { type: "counter", values: { count: 2, rate: 300 } },
      http_req_duration: { type: "trend", values: { med: 0.6, "p(95)": 2.2, max: 2.5 } },
    },
  },
  "machine-readable": {
    version: "1.0.0",
    results: {
      metrics: [
        { name: "http_reqs", type: "counter", values: { count: 3 } },
        { name: "http_reqs{phase:x}", type: "counter", values: { count: 2 } },
        { name: "http_req_duration", type: "trend", values: { avg: null, p95: 2.2, med: 0.6 } },
      ],
    },
  },
};

describe.each(Object.entries(shapes))("a summary of the shape %s", (_name, shape) => {
  test("gives counts, those of a part, and percentiles", () => {
    const summary = readK6Summary(JSON.stringify(shape));

    expect(countOf(summary, "http_reqs")).toBe(3);
    expect(countOf(summary, "http_reqs{phase:x}")).toBe(2);
    expect(summary.get("http_req_duration")).toMatchObject({ med: 0.6, p95: 2.2 });
  });
});

test("a counter nothing was added to counts 0", () => {
  expect(countOf(readK6Summary('{"metrics":{}}'), "http_reqs")).toBe(0);
});

test("another shape is an error", () => {
  expect(() => readK6Summary("[]")).toThrow("unknown shape");
});

describe("what an engine has to do itself", () => {
  test("is at least one request, whatever the script says", () => {
    expect(unsentReason(readK6Summary('{"metrics":{}}'))).toContain("at least 1");
    expect(unsentReason(readK6Summary(JSON.stringify(shapes.export)))).toBeUndefined();
  });
});
