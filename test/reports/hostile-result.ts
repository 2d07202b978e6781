import type { CheckResult } from "../../reports/model.ts";
import { evidenceOf, resultOf } from "./sample-results.ts";

/** Makes a result with a hostile text in every field. */
export function hostileResult(text: string, index: number): CheckResult {
  return resultOf(text, {
    title: text,
    covers: ["RUNA-01"],
    verdict: index % 2 === 0 ? "fail" : "inconclusive",
    reason: text,
    attempts: [{ verdict: "inconclusive", reason: text, durationMs: 1 }],
    dropped: [{ request: text, error: text, times: 1 }],
    readings: [{ requirement: "RUNA-03", reading: text }],
    ...(index % 3 === 0 && {
      mismatches: [{ requirement: "RUNA-01", at: text, expected: text, got: text }],
    }),
    steps: [text],
    timelines: [
      {
        job: text,
        endpoint: text,
        clock: "virtual",
        states: [{ status: text, fromMs: 0, toMs: 5 }],
        events: [{ kind: "read", text, fromMs: 0, toMs: 1e9 }],
        due: [],
      },
    ],
    script: text,
    evidence: [
      {
        request: { method: text, url: text, headers: { [text]: text }, body: text },
        response: { status: 200, headers: { a: [text, text] }, body: { [text]: text } },
        atMs: 0,
        curl: text,
      },
      { ...evidenceOf("run", 200), response: null, error: text },
    ],
  });
}
