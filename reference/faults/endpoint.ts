import { isJsonObject } from "../behaviour/submission.ts";
import type { Fault } from "../fault.ts";

export const endpointFaults: readonly Fault[] = [
  {
    name: "endpoint/unknown-is-a-bad-request-on-stream",
    breaks: ["ENDP-01"],
    describe: "stream answers 400 on an unknown endpoint.",
    change: () => ({
      operations: { unknownEndpointStatus: (operation) => (operation === "stream" ? 400 : 404) },
    }),
  },
  {
    name: "endpoint/unknown-has-an-empty-queue",
    breaks: ["ENDP-01"],
    describe: "purge-queue answers 200 on an unknown endpoint.",
    change: () => ({
      operations: {
        unknownEndpointStatus: (operation) => (operation === "purge-queue" ? 200 : 404),
      },
    }),
  },
  {
    name: "endpoint/status-finds-jobs-of-others",
    breaks: ["ENDP-02"],
    describe: "status looks for a job on every endpoint.",
    change: () => ({ operations: { hidesForeignJobs: (operation) => operation !== "status" } }),
  },
  {
    name: "endpoint/stream-finds-jobs-of-others",
    breaks: ["ENDP-02"],
    describe: "stream looks for a job on every endpoint.",
    change: () => ({ operations: { hidesForeignJobs: (operation) => operation !== "stream" } }),
  },
  {
    name: "endpoint/cancel-reaches-jobs-of-others",
    breaks: ["ENDP-02"],
    describe: "cancel looks for a job on every endpoint.",
    change: () => ({ operations: { hidesForeignJobs: (operation) => operation !== "cancel" } }),
  },
  {
    name: "endpoint/retry-reaches-jobs-of-others",
    breaks: ["ENDP-02"],
    describe: "retry looks for a job on every endpoint.",
    change: () => ({ operations: { hidesForeignJobs: (operation) => operation !== "retry" } }),
  },
  {
    name: "endpoint/stream-is-plain-text",
    breaks: ["ENDP-03"],
    describe: "stream answers with content-type text/plain.",
    change: ({ operations }) => ({
      operations: {
        contentType: (operation, status) =>
          operation === "stream" ? "text/plain" : operations.contentType(operation, status),
      },
    }),
  },
  {
    name: "endpoint/cancel-is-html",
    breaks: ["ENDP-03"],
    describe: "cancel answers a success with content-type text/html.",
    change: ({ operations }) => ({
      operations: {
        contentType: (operation, status) =>
          operation === "cancel" && status < 300
            ? "text/html"
            : operations.contentType(operation, status),
      },
    }),
  },
  {
    name: "endpoint/purge-has-no-body",
    breaks: ["ENDP-03"],
    describe: "purge-queue answers a success with an empty body.",
    change: () => ({
      operations: {
        shape: (body, { operation }) => (operation === "purge-queue" ? undefined : body),
      },
    }),
  },
  {
    name: "endpoint/purge-count-is-text",
    breaks: ["ENDP-05"],
    describe: "purge-queue answers the number of removed jobs as a string.",
    change: () => ({
      operations: {
        purgeAnswer: (removed) => ({ removed: String(removed), status: "completed" }),
      },
    }),
  },
  {
    name: "endpoint/retry-tells-no-id",
    breaks: ["ENDP-05"],
    describe: "The answer of retry has no id.",
    change: () => ({
      operations: {
        shape: (body, { operation }) =>
          operation === "retry" && isJsonObject(body) ? { status: body["status"] } : body,
      },
    }),
  },
  {
    name: "endpoint/cancel-id-is-empty",
    breaks: ["ENDP-05"],
    describe: "The id in the answer of cancel is an empty string.",
    change: () => ({
      operations: {
        shape: (body, { operation }) =>
          operation === "cancel" && isJsonObject(body) ? { ...body, id: "" } : body,
      },
    }),
  },
  {
    name: "endpoint/id-is-matched-by-its-beginning",
    breaks: ["ENDP-01"],
    describe: "An id that begins like an endpoint's own is taken for it.",
    change: () => ({
      operations: {
        endpointIdOf: (given, known) => {
          for (const id of known) if (given.startsWith(id)) return id;
          return given;
        },
      },
    }),
  },
  {
    name: "endpoint/unknown-is-a-server-error-on-health",
    breaks: ["ENDP-01"],
    describe: "health answers 500 on an unknown endpoint.",
    change: () => ({
      operations: { unknownEndpointStatus: (operation) => (operation === "health" ? 500 : 404) },
    }),
  },
  {
    name: "endpoint/stream-is-json-lines",
    breaks: ["ENDP-03"],
    describe: "stream calls its JSON application/json-seq.",
    change: ({ operations }) => ({
      operations: {
        contentType: (operation, status) =>
          operation === "stream" && status < 300
            ? "application/json-seq"
            : operations.contentType(operation, status),
      },
    }),
  },
  {
    name: "endpoint/timed-out-status-has-no-body",
    breaks: ["ENDP-03", "ENDP-05"],
    describe: "status answers an empty body once a job has timed out.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "status" && job?.status === "TIMED_OUT" ? undefined : body,
      },
    }),
  },
  {
    name: "endpoint/times-are-text-after-a-retry",
    breaks: ["ENDP-05"],
    describe: "status gives the delayTime of a retried job as a string.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "status" && job !== undefined && job.attempt > 1 && isJsonObject(body)
            ? { ...body, delayTime: String(body["delayTime"]) }
            : body,
      },
    }),
  },
  {
    name: "endpoint/unfinished-runsync-has-null-output",
    breaks: ["ENDP-05"],
    describe: "runsync whose wait is over answers with an output of null.",
    change: () => ({
      operations: {
        shape: (body, { operation, job }) =>
          operation === "runsync" && job?.finishedAtMs === undefined && isJsonObject(body)
            ? { ...body, output: null }
            : body,
      },
    }),
  },
  {
    name: "endpoint/third-chunk-has-no-metrics",
    breaks: ["ENDP-05"],
    describe: "The third element of a stream lacks its metrics.",
    change: ({ stream }) => ({
      stream: {
        element: (output, metrics) =>
          metrics["stream_index"] === 2 ? { output } : stream.element(output, metrics),
      },
    }),
  },
];
