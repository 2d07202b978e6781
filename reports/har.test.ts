import { describe, expect, test } from "vitest";
import { writeHar } from "./har.ts";
import { harProblems } from "../test/reports/read-back.ts";
import { evidenceOf, resultOf, sampleReport } from "../test/reports/sample-results.ts";

describe("report.har", () => {
  test("is valid against the schema of HAR 1.2", () => {
    expect(harProblems(JSON.parse(writeHar(sampleReport())))).toEqual([]);
    expect(harProblems({ log: { version: "1.2" } })).not.toEqual([]);
  });

  test("holds each exchange once, in the order of sending, with what it speaks for", () => {
    const results = [
      resultOf("b", {
        covers: ["AUTH-01", "AUTH-02"],
        evidence: [{ ...evidenceOf("run?wait=1", 202, "x"), atMs: 20 }],
      }),
      resultOf("c", {
        covers: ["AUTH-03"],
        evidence: [{ ...evidenceOf("health", 200), response: null, error: "reset", atMs: 10 }],
      }),
    ];
    expect(JSON.parse(writeHar(sampleReport(results)))).toMatchObject({
      log: {
        entries: [
          {
            comment: "c (AUTH-03): reset",
            startedDateTime: "2024-06-07T08:09:10.010Z",
            response: { status: 0, statusText: "reset" },
          },
          {
            comment: "b (AUTH-01, AUTH-02)",
            startedDateTime: "2024-06-07T08:09:10.020Z",
            request: {
              queryString: [{ name: "wait", value: "1" }],
              postData: { text: '{"input":{"op":"echo","value":"été"}}' },
            },
            response: {
              status: 202,
              statusText: "Accepted",
              content: { size: 1, text: "x", mimeType: "application/json" },
            },
          },
        ],
      },
    });
  });
});
