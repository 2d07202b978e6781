import type { JobTimeline } from "../../reports/model.ts";

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
