import type { OperationName } from "../../openapi/operations.ts";
import type { AnswerContext } from "../../reference/behaviour/operations.ts";
import type { Fault } from "../../reference/faults.ts";
import type { Job, JsonObject } from "../../reference/job.ts";
import { inAnswer, inAnswerAbout, miscounting } from "./builders/answers.ts";
import { fault, remembering } from "./builders/compose.ts";
import { is, on } from "./builders/conditions.ts";
import { isRetried, isUnfinished } from "./builders/jobs.ts";
import { type Change, except, instead, replace, result, whenever } from "./builders/member.ts";

/** Bugs in what the answers of all operations have in common. */
export const endpointFaults: readonly Fault[] = [
  fault("endpoint/unknown-is-a-bad-request-on-stream", ["ENDP-01"], {
    describe: "stream answers 400 on an unknown endpoint.",
    change: instead("operations.unknownEndpointStatus", 400, on("stream")),
  }),
  fault("endpoint/unknown-has-an-empty-queue", ["ENDP-01"], {
    describe: "purge-queue answers 200 on an unknown endpoint.",
    change: instead("operations.unknownEndpointStatus", 200, on("purge-queue")),
  }),
  lookingEverywhere("endpoint/status-finds-jobs-of-others", "status"),
  lookingEverywhere("endpoint/stream-finds-jobs-of-others", "stream"),
  lookingEverywhere("endpoint/cancel-reaches-jobs-of-others", "cancel"),
  lookingEverywhere("endpoint/retry-reaches-jobs-of-others", "retry"),
  fault("endpoint/cancel-is-html", ["ENDP-03"], {
    describe: "cancel answers a success with content-type text/html.",
    change: instead(
      "operations.contentType",
      "text/html",
      (operation, status) => operation === "cancel" && status < 300,
    ),
  }),
  fault("endpoint/purge-has-no-body", ["ENDP-03"], {
    describe: "purge-queue answers a success with an empty body.",
    change: inAnswer("purge-queue", () => undefined),
  }),
  fault("endpoint/purge-count-is-text", ["ENDP-05"], {
    describe: "purge-queue answers the number of removed jobs as a string.",
    change: inAnswer("purge-queue", (body) => ({ ...body, removed: String(body["removed"]) })),
  }),
  fault("endpoint/retry-tells-no-id", ["ENDP-05"], {
    describe: "The answer of retry has no id.",
    change: inAnswer("retry", ({ status }) => ({ status })),
  }),
  fault("endpoint/cancel-id-is-empty", ["ENDP-05"], {
    describe: "The id in the answer of cancel is an empty string.",
    change: inAnswer("cancel", (body) => ({ ...body, id: "" })),
  }),
  fault("endpoint/id-is-matched-by-its-beginning", ["ENDP-01"], {
    describe: "An id that begins like an endpoint's own is taken for it.",
    change: replace(
      "operations.endpointIdOf",
      (given, known) => [...known].find((id) => given.startsWith(id)) ?? given,
    ),
  }),
  fault("endpoint/id-may-be-cut-short", ["ENDP-01"], {
    describe: "The beginning of an endpoint's id is taken for the whole of it.",
    change: replace(
      "operations.endpointIdOf",
      (given, known) => [...known].find((id) => id.startsWith(given)) ?? given,
    ),
  }),
  fault("endpoint/unknown-is-a-server-error-on-health", ["ENDP-01"], {
    describe: "health answers 500 on an unknown endpoint.",
    change: instead("operations.unknownEndpointStatus", 500, on("health")),
  }),
  fault("endpoint/stream-is-json-lines", ["ENDP-03"], {
    describe: "stream calls its JSON application/json-seq.",
    change: instead(
      "operations.contentType",
      "application/json-seq",
      (operation, status) => operation === "stream" && status < 300,
    ),
  }),
  fault("endpoint/timed-out-status-has-no-body", ["ENDP-03", "ENDP-05"], {
    describe: "status answers an empty body once a job has timed out.",
    change: inAnswerAbout("status", is("TIMED_OUT"), () => undefined),
  }),
  fault("endpoint/times-are-text-after-a-retry", ["ENDP-05"], {
    describe: "status gives the delayTime of a retried job as a string.",
    change: inAnswerAbout("status", isRetried, (body) => ({
      ...body,
      delayTime: String(body["delayTime"]),
    })),
  }),
  fault("endpoint/unfinished-runsync-has-null-output", ["ENDP-05"], {
    describe: "runsync whose wait is over answers with an output of null.",
    change: inAnswerAbout("runsync", isUnfinished, { output: null }),
  }),
  fault("endpoint/third-chunk-has-no-metrics", ["ENDP-05"], {
    describe: "The third element of a stream lacks its metrics.",
    change: result("stream.element", (element, output, metrics) =>
      metrics["stream_index"] === 2 ? { output } : element,
    ),
  }),
  fault("endpoint/requests-answers-as-text", ["ENDP-03"], {
    describe: "requests answers its JSON as text/plain.",
    change: instead(
      "operations.contentType",
      "text/plain; charset=utf-8",
      (operation, status) => operation === "requests" && status < 400,
    ),
  }),
  fault("endpoint/openai-answers-an-array", ["ENDP-05"], {
    describe: "openai answers a JSON array.",
    change: inAnswer("openai", (body) => [body]),
  }),
  fault("endpoint/errors-are-bytes", ["ENDP-04"], {
    describe: "The body of an error is compressed though nobody asked for it.",
    change: instead(
      "transport.serialise",
      Buffer.from("1f8b0800fffe80c3", "hex"),
      (_body, status) => status >= 400,
    ),
  }),
  fault("endpoint/health-counts-the-whole-server", ["ENDP-02"], {
    describe: "health counts among the waiting jobs those of every endpoint of the server.",
    change: miscounting("inQueue", 1, (count) => whenever("submission.jobId", count)),
  }),
  fault("endpoint/requests-without-jobs-has-no-body", ["ENDP-03", "ENDP-05"], {
    describe: "requests answers an empty body while the endpoint has no job.",
    change: inAnswer("requests", (body) => (hasNone(body) ? undefined : body)),
  }),
  fault("endpoint/requests-without-jobs-is-an-array", ["ENDP-05"], {
    describe: "requests answers an empty array while the endpoint has no job.",
    change: inAnswer("requests", (body) => (hasNone(body) ? [] : body)),
  }),
  fault("endpoint/long-status-is-bytes", ["ENDP-03"], {
    describe: "status answers more than 100 kB with content-type application/octet-stream.",
    change: callingAnswers("application/octet-stream", (body, { operation }) => {
      return operation === "status" && (JSON.stringify(body) ?? "").length > 100_000;
    }),
  }),
  fault("endpoint/stream-of-a-queued-job-is-plain-text", ["ENDP-03"], {
    describe: "stream answers as text/plain before a job that streams has a chunk.",
    change: callingAnswers("text/plain", (_body, { operation, job }) => {
      return operation === "stream" && job?.status === "IN_QUEUE" && streams(job);
    }),
  }),
  fault("endpoint/status-sets-the-ttl-of-jobs-of-others", ["ENDP-02"], {
    describe: "A job that status on another endpoint does not find is kept for 6 s on its own.",
    change: remembering(new Set<string>(), (asked) => [
      whenever("operations.unknownJobStatus", (operation, jobId) => {
        if (operation === "status") asked.add(jobId);
      }),
      except(
        "retention.shows",
        ({ id, submittedAtMs }, _operation, nowMs) =>
          asked.has(id) && nowMs > submittedAtMs + 6_000,
      ),
    ]),
  }),
];

/** One operation finds the jobs of every endpoint. */
function lookingEverywhere(name: `endpoint/${string}`, operation: OperationName): Fault {
  return fault(name, ["ENDP-02"], {
    describe: `${operation} looks for a job on every endpoint.`,
    change: except("operations.hidesForeignJobs", on(operation)),
  });
}

/** Answers have this content type where `condition` holds of them. */
function callingAnswers(
  contentType: string,
  condition: (body: unknown, context: AnswerContext) => boolean,
): Change {
  return remembering(new Set<OperationName>(), (meant) => [
    whenever("operations.shape", (body, context) => {
      if (condition(body, context)) meant.add(context.operation);
    }),
    instead(
      "operations.contentType",
      contentType,
      (operation) => operation !== undefined && meant.delete(operation),
    ),
  ]);
}

function streams({ submission }: Job): boolean {
  return submission.input["op"] === "stream";
}

function hasNone({ requests }: JsonObject): boolean {
  return Array.isArray(requests) && requests.length === 0;
}
