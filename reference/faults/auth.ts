import type { OperationName } from "../../openapi/index.ts";
import type { Credentials } from "../behaviour/authentication.ts";
import type { Fault } from "../fault.ts";
import { on } from "./builders/conditions.ts";
import { faultsOf } from "./builders/faults-of.ts";
import {
  all,
  also,
  except,
  remembering,
  replace,
  result,
  type Change,
  whenever,
  where,
} from "./builders/member.ts";

/** Bugs in who is let in, and in what is done for those who are not. */
export const authFaults: readonly Fault[] = faultsOf({
  "auth/health-needs-no-key": {
    breaks: ["AUTH-01"],
    describe: "health answers a request without an authorization header.",
    change: admitting("health", (header) => header === undefined),
  },
  "auth/missing-key-is-a-bad-request": {
    breaks: ["AUTH-01"],
    describe: "stream answers 400 instead of 401 where the header is missing.",
    change: where(
      "authentication.refusalStatus",
      ({ operation, header }) => operation === "stream" && header === undefined,
      400,
    ),
  },
  "auth/stream-takes-any-key": {
    breaks: ["AUTH-02"],
    describe: "stream looks only at whether there is a key.",
    change: also("authentication.isSameKey", (_given, _key, operation) => operation === "stream"),
  },
  "auth/last-character-is-not-compared": {
    breaks: ["AUTH-02"],
    describe: "A key whose last character is wrong is accepted.",
    change: replace(
      "authentication.isSameKey",
      (given, key) => given.length === key.length && given.slice(0, -1) === key.slice(0, -1),
    ),
  },
  "auth/longer-key-is-accepted": {
    breaks: ["AUTH-02"],
    describe: "A key with something appended is accepted.",
    change: () => ({ authentication: { isSameKey: (given, key) => given.startsWith(key) } }),
  },
  "auth/purge-wants-bearer": {
    breaks: ["AUTH-03"],
    describe: "purge-queue refuses the bare key.",
    change: where(
      "authentication.keyOf",
      (header, operation) => operation === "purge-queue" && header?.startsWith("Bearer ") !== true,
      undefined,
    ),
  },
  "auth/retry-knows-no-bearer": {
    breaks: ["AUTH-04"],
    describe: "retry takes the word Bearer for a part of the key.",
    change: result("authentication.keyOf", (key, header, operation) =>
      operation === "retry" ? header : key,
    ),
  },
  "auth/foreign-key-may-cancel": {
    breaks: ["AUTH-05"],
    describe: "cancel accepts a valid key that has no permission for the endpoint.",
    change: also("authentication.permitsForeignKey", on("cancel")),
  },
  "auth/foreign-key-is-forbidden": {
    breaks: ["AUTH-05"],
    describe: "A valid key without permission is answered 403 instead of 401.",
    change: where(
      "authentication.refusalStatus",
      ({ header, isKnownKey }) => header !== undefined && isKnownKey(header.replace("Bearer ", "")),
      403,
    ),
  },
  "auth/refused-run-still-submits": {
    breaks: ["AUTH-06"],
    describe: "run answers 401 and submits the job nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("run")),
  },
  "auth/refused-cancel-still-cancels": {
    breaks: ["AUTH-06"],
    describe: "cancel answers 401 and cancels the job nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("cancel")),
  },
  "auth/refused-purge-still-purges": {
    breaks: ["AUTH-06"],
    describe: "purge-queue answers 401 and empties the queue nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("purge-queue")),
  },
  "auth/refused-retry-still-retries": {
    breaks: ["AUTH-06"],
    describe: "retry answers 401 and retries the job nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("retry")),
  },
  "auth/requests-needs-no-key": {
    breaks: ["AUTH-01"],
    describe: "requests, being no operation on jobs, is answered without a key.",
    change: admitting("requests", (header) => header === undefined),
  },
  "auth/remembers-who-was-let-in": {
    breaks: ["AUTH-01"],
    describe: "Once an endpoint has seen its key, status is answered without one.",
    change: remembering(
      () => new Set<string | undefined>(),
      (seen) =>
        all(
          whenever("authentication.admit", (admission, { endpoint }) => {
            if (admission === "granted") seen.add(endpoint?.id);
          }),
          admitting(
            "status",
            (header, { endpoint }) => header === undefined && seen.has(endpoint?.id),
          ),
        ),
    ),
  },
  "auth/unknown-job-before-the-key": {
    breaks: ["AUTH-01"],
    describe: "An unknown job is answered 404 before the header is looked at.",
    change: where(
      "authentication.refusalStatus",
      ({ header, isUnknownJob }) => header === undefined && isUnknownJob(),
      404,
    ),
  },
  "auth/key-in-any-case": {
    breaks: ["AUTH-02"],
    describe: "Keys are compared without regard to case.",
    change: replace(
      "authentication.isSameKey",
      (given, key) => given.toLowerCase() === key.toLowerCase(),
    ),
  },
  "auth/bearer-key-is-not-compared": {
    breaks: ["AUTH-02", "AUTH-05"],
    describe: "runsync accepts whatever stands after the word Bearer.",
    change: admitting("runsync", (header) => header?.startsWith("Bearer ") === true),
  },
  "auth/empty-value-passes": {
    breaks: ["AUTH-02"],
    describe: "health takes an empty authorization header for a trusted caller.",
    change: admitting("health", (header) => header === ""),
  },
  "auth/foreign-key-passes-as-bearer": {
    breaks: ["AUTH-05"],
    describe: "status looks at the permission of a bare key only.",
    change: admitting(
      "status",
      (header, { isKnownKey }) =>
        header?.startsWith("Bearer ") === true && isKnownKey(header.slice("Bearer ".length)),
    ),
  },
  "auth/refused-runsync-still-submits": {
    breaks: ["AUTH-06"],
    describe: "runsync answers 401 and submits the job nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("runsync")),
  },
  "auth/refused-status-sets-the-ttl": {
    breaks: ["AUTH-06"],
    describe: "status answers 401 and sets the ttl of the job nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("status")),
  },
  "auth/refused-stream-uses-up-chunks": {
    breaks: ["AUTH-06"],
    describe: "stream answers 401 and takes the chunks nevertheless.",
    change: except("authentication.refusalLeavesUndone", on("stream")),
  },
  "auth/permission-is-looked-at-too-late": {
    breaks: ["AUTH-06"],
    describe: "purge-queue with a key without permission answers 401 after it has purged.",
    change: except(
      "authentication.refusalLeavesUndone",
      (operation, { header, isKnownKey }) =>
        operation === "purge-queue" && header !== undefined && isKnownKey(header),
    ),
  },
});

/** Lets in who asks this operation of an endpoint there is, by what the header says. */
function admitting(
  wanted: OperationName,
  condition: (header: string | undefined, credentials: Credentials) => boolean,
): Change {
  return where(
    "authentication.admit",
    (_admission, credentials) =>
      credentials.operation === wanted &&
      credentials.endpoint !== undefined &&
      condition(credentials.header, credentials),
    "granted",
  );
}
