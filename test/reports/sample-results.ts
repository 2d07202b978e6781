import { createReport, type ReportInput } from "../../reports/create-report.ts";
import type { CheckResult, Evidence, Report, JobTimeline } from "../../reports/model.ts";
import { lackingReason } from "../../reports/not-run.ts";

export function evidenceOf(path: string, status: number, body: unknown = null): Evidence {
  const url = `http://127.0.0.1:8080/v2/ep-1/${path}`;
  return {
    request: {
      method: "POST",
      url,
      headers: { authorization: "***", "content-type": "application/json" },
      body: { input: { op: "echo", value: "été" } },
    },
    response: {
      status,
      headers: { "content-type": "application/json", "set-cookie": ["a=1", "b=2"] },
      body,
    },
    atMs: 12.5,
    durationMs: 3.25,
    curl: `curl -sS -X POST '${url}' -H 'authorization: ***' --data '{"input":{}}'`,
  };
}

export function resultOf(
  name: string,
  rest: Partial<CheckResult> & Pick<CheckResult, "covers">,
): CheckResult {
  return { name, verdict: "pass", durationMs: 7, evidence: [], ...rest };
}

/** One result of each kind that a report has to show. */
export const sampleResults: readonly CheckResult[] = [
  resultOf("auth/no-key", {
    title: "every operation without a key answers 401",
    covers: ["AUTH-01"],
    evidence: [evidenceOf("run", 401)],
  }),
  resultOf("auth/refused-has-no-effect", {
    covers: ["AUTH-06", "AUTH-02"],
    verdict: "fail",
    mismatches: [
      {
        requirement: "AUTH-06",
        at: "health /jobs/inQueue",
        expected: "0",
        got: "1",
      },
    ],
    script: "#!/bin/sh\ncurl -sS http://127.0.0.1:8080/v2/ep-1/health\n",
    evidence: [
      evidenceOf("run", 401, { error: "unauthorized" }),
      {
        ...evidenceOf("health", 200),
        response: null,
        error: "the connection was reset",
      },
    ],
  }),
  resultOf("run/answers-at-once", {
    covers: ["RUNA-01"],
    verdict: "fail",
    mismatches: [
      {
        requirement: "RUNA-01",
        at: "run /status",
        expected: "IN_QUEUE",
        got: "COMPLETED",
        exchange: 0,
      },
      { requirement: "RUNA-01", at: "run /id", expected: "a string", got: "7" },
    ],
    evidence: [evidenceOf("run", 200, { id: 7, status: "COMPLETED" })],
  }),
  resultOf("run/too-large", {
    covers: ["RUNA-03"],
    readings: [{ requirement: "RUNA-03", reading: "413" }],
  }),
  resultOf("cancel/frees-worker", {
    covers: ["CANC-02"],
    verdict: "inconclusive",
    reason: "the clock of the target is too coarse: 1 s",
    evidence: [evidenceOf("cancel/j", 200, { id: "j", status: "CANCELLED" })],
  }),
  resultOf("auth/foreign-key", {
    covers: ["AUTH-05"],
    verdict: "not-run",
    reason: lackingReason(["foreignKey"]),
  }),
];

/** Makes a report of `results` that is the same in every run; `rest` overrides its other input. */
export function sampleReport(
  results: readonly CheckResult[] = sampleResults,
  rest: Partial<ReportInput> = {},
): Report {
  return createReport({
    toolVersion: "0.1.0",
    nodeVersion: "20.19.0",
    command: "contract",
    seed: 42,
    startedAt: "2024-06-07T08:09:10.000Z",
    durationMs: 1234,
    target: {
      baseUrl: "http://127.0.0.1:8080/v2",
      endpointId: "ep-1",
      capabilities: ["handler", "clock"],
    },
    results,
    ...rest,
  });
}

/** A job that failed and was retried, and whose result had to stay readable for half an hour. */
export const sampleTimelines: readonly JobTimeline[] = [
  {
    job: "5b1f2c9e-u1",
    endpoint: "ep-1",
    clock: "virtual",
    states: [
      { status: "IN_QUEUE", fromMs: 0, toMs: 0 },
      { status: "FAILED", fromMs: 2000, toMs: 2000 },
      { status: "IN_QUEUE", fromMs: 3000, toMs: 3000 },
      { status: "COMPLETED", fromMs: 5000, toMs: 900_000 },
    ],
    events: [
      { kind: "submit", text: "run: 200 IN_QUEUE", fromMs: 0, toMs: 0 },
      { kind: "read", text: "status: 200 FAILED", times: 3, fromMs: 2000, toMs: 2000 },
      { kind: "retry", text: "retry: 200 IN_QUEUE", fromMs: 3000, toMs: 3000 },
      { kind: "webhook", text: "webhook, answered with 500", fromMs: 5000, toMs: 15_000 },
      { kind: "read", text: "status: 404", fromMs: 1_804_999, toMs: 1_804_999 },
    ],
    due: [{ afterMs: 1_800_000, fromMs: 1_805_000, toMs: 1_805_000 }],
  },
];

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
