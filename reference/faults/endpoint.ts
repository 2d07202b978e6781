import type { Fault } from "../fault.ts";
import { counting, inAnswer, inAnswerAbout } from "./builders/answers.ts";
import { is, isRetried, isUnfinished, on } from "./builders/conditions.ts";
import { faultsOf } from "./builders/faults-of.ts";
import { all, except, remembering, replace, result, whenever, where } from "./builders/member.ts";

/** Bugs in what answers of all operations have in common. */
export const endpointFaults: readonly Fault[] = faultsOf({
  "endpoint/unknown-is-a-bad-request-on-stream": {
    breaks: ["ENDP-01"],
    describe: "stream answers 400 on an unknown endpoint.",
    change: where("operations.unknownEndpointStatus", on("stream"), 400),
  },
  "endpoint/unknown-has-an-empty-queue": {
    breaks: ["ENDP-01"],
    describe: "purge-queue answers 200 on an unknown endpoint.",
    change: where("operations.unknownEndpointStatus", on("purge-queue"), 200),
  },
  "endpoint/status-finds-jobs-of-others": {
    breaks: ["ENDP-02"],
    describe: "status looks for a job on every endpoint.",
    change: except("operations.hidesForeignJobs", on("status")),
  },
  "endpoint/stream-finds-jobs-of-others": {
    breaks: ["ENDP-02"],
    describe: "stream looks for a job on every endpoint.",
    change: except("operations.hidesForeignJobs", on("stream")),
  },
  "endpoint/cancel-reaches-jobs-of-others": {
    breaks: ["ENDP-02"],
    describe: "cancel looks for a job on every endpoint.",
    change: except("operations.hidesForeignJobs", on("cancel")),
  },
  "endpoint/retry-reaches-jobs-of-others": {
    breaks: ["ENDP-02"],
    describe: "retry looks for a job on every endpoint.",
    change: except("operations.hidesForeignJobs", on("retry")),
  },
  "endpoint/stream-is-plain-text": {
    breaks: ["ENDP-03"],
    describe: "stream answers with content-type text/plain.",
    change: where("operations.contentType", on("stream"), "text/plain"),
  },
  "endpoint/cancel-is-html": {
    breaks: ["ENDP-03"],
    describe: "cancel answers a success with content-type text/html.",
    change: where(
      "operations.contentType",
      (operation, status) => operation === "cancel" && status < 300,
      "text/html",
    ),
  },
  "endpoint/purge-has-no-body": {
    breaks: ["ENDP-03"],
    describe: "purge-queue answers a success with an empty body.",
    change: inAnswer("purge-queue", () => undefined),
  },
  "endpoint/purge-count-is-text": {
    breaks: ["ENDP-05"],
    describe: "purge-queue answers the number of removed jobs as a string.",
    change: inAnswer("purge-queue", (body) => ({ ...body, removed: String(body["removed"]) })),
  },
  "endpoint/retry-tells-no-id": {
    breaks: ["ENDP-05"],
    describe: "The answer of retry has no id.",
    change: inAnswer("retry", ({ status }) => ({ status })),
  },
  "endpoint/cancel-id-is-empty": {
    breaks: ["ENDP-05"],
    describe: "The id in the answer of cancel is an empty string.",
    change: inAnswer("cancel", (body) => ({ ...body, id: "" })),
  },
  "endpoint/id-is-matched-by-its-beginning": {
    breaks: ["ENDP-01"],
    describe: "An id that begins like an endpoint's own is taken for it.",
    change: replace(
      "operations.endpointIdOf",
      (given, known) => [...known].find((id) => given.startsWith(id)) ?? given,
    ),
  },
  "endpoint/unknown-is-a-server-error-on-health": {
    breaks: ["ENDP-01"],
    describe: "health answers 500 on an unknown endpoint.",
    change: where("operations.unknownEndpointStatus", on("health"), 500),
  },
  "endpoint/stream-is-json-lines": {
    breaks: ["ENDP-03"],
    describe: "stream calls its JSON application/json-seq.",
    change: where(
      "operations.contentType",
      (operation, status) => operation === "stream" && status < 300,
      "application/json-seq",
    ),
  },
  "endpoint/timed-out-status-has-no-body": {
    breaks: ["ENDP-03", "ENDP-05"],
    describe: "status answers an empty body once a job has timed out.",
    change: inAnswerAbout("status", is("TIMED_OUT"), () => undefined),
  },
  "endpoint/times-are-text-after-a-retry": {
    breaks: ["ENDP-05"],
    describe: "status gives the delayTime of a retried job as a string.",
    change: inAnswerAbout("status", isRetried, (body) => ({
      ...body,
      delayTime: String(body["delayTime"]),
    })),
  },
  "endpoint/unfinished-runsync-has-null-output": {
    breaks: ["ENDP-05"],
    describe: "runsync whose wait is over answers with an output of null.",
    change: inAnswerAbout("runsync", isUnfinished, (body) => ({ ...body, output: null })),
  },
  "endpoint/third-chunk-has-no-metrics": {
    breaks: ["ENDP-05"],
    describe: "The third element of a stream lacks its metrics.",
    change: result("stream.element", (element, output, metrics) =>
      metrics["stream_index"] === 2 ? { output } : element,
    ),
  },
  "endpoint/requests-answers-as-text": {
    breaks: ["ENDP-03"],
    describe: "requests answers its JSON as text/plain.",
    change: where(
      "operations.contentType",
      (operation, status) => operation === "requests" && status < 400,
      "text/plain; charset=utf-8",
    ),
  },
  "endpoint/openai-answers-an-array": {
    breaks: ["ENDP-05"],
    describe: "openai answers a JSON array.",
    change: inAnswer("openai", (body) => [body]),
  },
  "endpoint/errors-are-bytes": {
    breaks: ["ENDP-04"],
    describe: "The body of an error is compressed though nobody asked for it.",
    change: where(
      "transport.serialise",
      (_body, status) => status >= 400,
      Buffer.from("1f8b0800fffe80c3", "hex"),
    ),
  },
  "endpoint/health-counts-the-whole-server": {
    breaks: ["ENDP-02"],
    describe: "health counts among the waiting jobs those of every endpoint of the server.",
    change: remembering(
      () => ({ submitted: 0 }),
      (memory) =>
        all(
          whenever("submission.jobId", () => void (memory.submitted += 1)),
          counting(({ inQueue }) => ({ inQueue: inQueue + memory.submitted })),
        ),
    ),
  },
});
