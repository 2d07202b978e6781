import * as fc from "fast-check";
import { requirementIds } from "../../openapi/requirements.ts";
import { verdicts } from "../../reports/verdict.ts";
import type { CheckResult, Evidence, JobTimeline } from "../../reports/model.ts";
import { timelineKinds } from "../../reports/timeline-schema.ts";

/** Texts with which a target may try to break a report. Each has broken some report writer somewhere. */
export const hostileTexts: readonly string[] = [
  "</script><script>alert(1)</script>",
  "<!--<script>",
  '"><img src=x onerror=alert(1)>',
  "'--></style><svg/onload=alert(1)>",
  "]]>",
  "a\u0000b\u0007c\u001B[31m\u0085",
  "\u{D800}",
  "x\u{DC00}y",
  "\u{FFFE}\u{FFFF}",
  "\u{202E}drowssap\u{2066}",
  "| a | b |\n| - | - |\n# heading\n- item\n```\n~~~",
  "[link](javascript:alert(1)) ![image](http://127.0.0.1/x) <b>bold</b> `code` *em* _em_ @team $x$",
  "&lt;&amp;&#0;",
  "\r\n\t \u{2028}\u{2029}",
  "\\",
  "`",
];

/** All of them in one text that is longer than any format should carry whole. */
export const hostileMegabyte = hostileTexts.join(" ").repeat(2500);

const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...hostileTexts));
const id = fc.constantFrom(...requirementIds);
const headers = fc.dictionary(fc.string(), fc.oneof(text, fc.array(text, { maxLength: 2 })), {
  maxKeys: 3,
});
const durationMs = fc.double({ min: 0, max: 1e9, noNaN: true });

const evidence: fc.Arbitrary<Evidence> = fc.record(
  {
    request: fc.record({
      method: fc.constantFrom("GET", "POST"),
      url: fc.webUrl(),
      headers,
      body: fc.jsonValue(),
    }),
    response: fc.option(
      fc.record({ status: fc.integer({ min: 100, max: 999 }), headers, body: fc.jsonValue() }),
    ),
    error: text,
    atMs: durationMs,
    durationMs,
    curl: text,
  },
  { requiredKeys: ["request", "response", "atMs", "curl"] },
);

const span = { fromMs: durationMs, toMs: durationMs };
const timeline: fc.Arbitrary<JobTimeline> = fc.record({
  job: text,
  endpoint: text,
  clock: fc.constantFrom("real", "virtual"),
  states: fc.array(fc.record({ status: text, ...span }), { maxLength: 3 }),
  events: fc.array(fc.record({ kind: fc.constantFrom(...timelineKinds), text, ...span }), {
    maxLength: 3,
  }),
  due: fc.array(fc.record({ afterMs: durationMs, ...span }), { maxLength: 1 }),
});

const result: fc.Arbitrary<CheckResult> = fc.record(
  {
    name: text,
    title: text,
    covers: fc.uniqueArray(id, { minLength: 1, maxLength: 3 }),
    verdict: fc.constantFrom(...verdicts),
    durationMs,
    reason: text,
    attempts: fc.array(
      fc.record({ verdict: fc.constantFrom(...verdicts), reason: text, durationMs }),
      { maxLength: 2 },
    ),
    dropped: fc.array(
      fc.record({ request: text, error: text, times: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 2 },
    ),
    readings: fc.array(fc.record({ requirement: id, reading: text }), { maxLength: 2 }),
    mismatches: fc.array(fc.record({ requirement: id, at: text, expected: text, got: text }), {
      maxLength: 2,
    }),
    steps: fc.array(text, { maxLength: 2 }),
    script: text,
    evidence: fc.array(evidence, { maxLength: 2 }),
    timelines: fc.array(timeline, { maxLength: 2 }),
  },
  { requiredKeys: ["name", "covers", "verdict", "durationMs", "evidence"] },
);

/** Generates results of any kind, with names, texts and bodies that a hostile target might choose. */
export const arbitraryResults: fc.Arbitrary<readonly CheckResult[]> = fc.array(result, {
  maxLength: 12,
});
