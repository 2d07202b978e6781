import { createReport, type ReportInput } from "../../reports/create-report.ts";
import type { CheckResult, Evidence, Report } from "../../reports/model.ts";
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
