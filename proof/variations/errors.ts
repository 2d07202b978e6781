import { all, remembering } from "../faults/builders/compose.ts";
import { instead, replace, result, type Change } from "../faults/builders/member.ts";
import type { TransitionEvent } from "../../reference/transitions.ts";
import { variation, type Variation } from "./variation.ts";

/** How refusals look: their status where several are allowed, and their body, whose shape is open. */
export const errorVariations: readonly Variation[] = [
  variation("errors/body-is-a-json-array", {
    describe: "The body of an error is a JSON array of messages.",
    shows: { "ENDP-04": "any JSON value" },
    change: () => ({ operations: { errorBody: (_status, title, detail) => [title, detail] } }),
  }),
  variation("errors/body-is-a-json-string", {
    describe: "The body of an error is a JSON string.",
    shows: { "ENDP-04": "any JSON value" },
    change: () => ({ operations: { errorBody: (_status, _title, detail) => detail } }),
  }),
  variation("errors/body-is-json-null", {
    describe: "The body of an error is the JSON value null.",
    shows: { "ENDP-04": "any JSON value" },
    change: () => ({ operations: { errorBody: () => null } }),
  }),
  variation("errors/body-is-empty", {
    describe: "An error has no body.",
    shows: { "ENDP-04": "empty body" },
    change: () => ({ operations: { errorBody: () => undefined } }),
  }),
  variation("errors/body-is-plain-text", {
    describe: "The body of an error is plain text.",
    shows: { "ENDP-04": "text" },
    change: textErrors("text/plain; charset=utf-8", (text) => text),
  }),
  variation("errors/body-is-an-html-page", {
    describe: "The body of an error is an HTML page.",
    shows: { "ENDP-04": "text" },
    change: textErrors("text/html", (text) => `<!doctype html><title>${text}</title>`),
  }),
  variation("errors/body-is-a-problem-document", {
    describe: "The body of an error is a problem document of RFC 9457, under its own content type.",
    shows: { "ENDP-04": "a JSON object" },
    change: ({ operations }) => ({
      operations: {
        errorBody: (status, title, detail) => ({ type: "about:blank", status, title, detail }),
        contentType: (operation, status) =>
          status < 400 ? operations.contentType(operation, status) : "application/problem+json",
      },
    }),
  }),
  variation("errors/body-looks-like-a-record", {
    describe: "The body of an error has an id, and a status that is the name of a state.",
    shows: { "ENDP-04": "a JSON object" },
    change: () => ({
      operations: { errorBody: (_status, _title, error) => ({ id: "-", status: "FAILED", error }) },
    }),
  }),
  variation("errors/unknown-job-is-a-bad-request", {
    describe: "An unknown job id answers 400, and so does one whose job was deleted.",
    shows: { "STAT-09": "400", "STAT-10": "400", "POLI-14": "400", "PURG-06": "400" },
    change: () => ({ operations: { unknownJobStatus: () => 400 } }),
  }),
  variation("errors/deleted-job-is-a-bad-request", {
    describe: "The id of a job whose retention is over answers 400, one that never was 404.",
    shows: { "STAT-09": "404", "STAT-10": "400", "POLI-14": "404", "PURG-06": "404" },
    change: badRequestAfter("retention-ended"),
  }),
  variation("errors/expired-job-is-a-bad-request", {
    describe: "The id of a job whose ttl ran out answers 400, one that never was 404.",
    shows: { "STAT-09": "404", "STAT-10": "404", "POLI-14": "400", "PURG-06": "404" },
    change: badRequestAfter("ttl-ran-out"),
  }),
  variation("errors/purged-job-is-a-bad-request", {
    describe: "The id of a purged job answers 400, one that never was 404.",
    shows: { "STAT-09": "404", "STAT-10": "404", "POLI-14": "404", "PURG-06": "400" },
    change: badRequestAfter("purge"),
  }),
  variation("errors/unknown-endpoint-is-unauthorized", {
    describe: "An unknown endpoint answers 401: the key holds no permission there.",
    change: () => ({ operations: { unknownEndpointStatus: () => 401 } }),
  }),
  variation("errors/oversized-payload-is-413", {
    describe: "A payload over the limit answers 413.",
    shows: { "RUNA-03": "413" },
    change: () => ({ submission: { payloadRefusalStatus: () => 413 } }),
  }),
  variation("errors/oversized-payload-is-413-without-a-body", {
    describe: "A payload over the limit answers 413 with no body and ends the connection.",
    shows: { "RUNA-03": "413" },
    change: ({ operations }) => ({
      submission: { payloadRefusalStatus: () => 413 },
      operations: {
        errorBody: (status, title, detail) =>
          status === 413 ? undefined : operations.errorBody(status, title, detail),
      },
      transport: {
        headers: (_operation, status) => (status === 413 ? { connection: "close" } : {}),
      },
    }),
  }),
  variation("errors/refused-retry-is-a-conflict", {
    describe: "A retry that is not allowed answers 409.",
    change: () => ({ operations: { refusedRetryStatus: 409 } }),
  }),
];

function textErrors(contentType: string, page: (text: string) => string): Change {
  return all(
    replace("operations.errorBody", (_status, _title, detail) => page(detail)),
    instead("operations.contentType", contentType, (_operation, status) => status >= 400),
    result("transport.serialise", (json, body, status) =>
      status >= 400 && typeof body === "string" ? body : json,
    ),
  );
}

/** Answers 400 for jobs that one event has deleted, and the usual status for those that never existed. */
function badRequestAfter(event: TransitionEvent): Change {
  return remembering(new Set<string>(), (gone) => [
    result("lifecycle.next", (destination, { id }, happened) => {
      if (happened === event && destination === "DELETED") gone.add(id);
      return destination;
    }),
    instead("operations.unknownJobStatus", 400, (_operation, jobId) => gone.has(jobId)),
  ]);
}
