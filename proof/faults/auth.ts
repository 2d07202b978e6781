import type { OperationName } from "../../openapi/operations.ts";
import type { Credentials } from "../../reference/behaviour/authentication.ts";
import type { Fault } from "../../reference/faults.ts";
import { fault, remembering } from "./builders/compose.ts";
import { on } from "./builders/conditions.ts";
import {
  also,
  type Change,
  except,
  instead,
  override,
  replace,
  result,
  whenever,
} from "./builders/member.ts";

/** Bugs in who is let in, and in what a refused request does all the same. */
export const authFaults: readonly Fault[] = [
  fault("auth/health-needs-no-key", ["AUTH-01"], {
    describe: "health answers a request without an authorization header.",
    change: admitting("health", (header) => header === undefined),
  }),
  fault("auth/missing-key-is-a-bad-request", ["AUTH-01"], {
    describe: "stream answers 400 instead of 401 where the header is missing.",
    change: instead(
      "authentication.refusalStatus",
      400,
      ({ operation, header }) => operation === "stream" && header === undefined,
    ),
  }),
  fault("auth/last-character-is-not-compared", ["AUTH-02"], {
    describe: "A key whose last character is wrong is accepted.",
    change: replace(
      "authentication.isSameKey",
      (given, key) => given.length === key.length && given.slice(0, -1) === key.slice(0, -1),
    ),
  }),
  fault("auth/longer-key-is-accepted", ["AUTH-02"], {
    describe: "A key with something appended is accepted.",
    change: () => ({ authentication: { isSameKey: (given, key) => given.startsWith(key) } }),
  }),
  fault("auth/purge-wants-bearer", ["AUTH-03"], {
    describe: "purge-queue refuses the bare key.",
    change: instead(
      "authentication.keyOf",
      undefined,
      (header, operation) => operation === "purge-queue" && header?.startsWith("Bearer ") !== true,
    ),
  }),
  fault("auth/retry-knows-no-bearer", ["AUTH-04"], {
    describe: "retry takes the word Bearer for a part of the key.",
    change: result("authentication.keyOf", (key, header, operation) =>
      operation === "retry" ? header : key,
    ),
  }),
  fault("auth/foreign-key-may-cancel", ["AUTH-05"], {
    describe: "cancel accepts a valid key that has no permission for the endpoint.",
    change: also("authentication.permitsForeignKey", on("cancel")),
  }),
  fault("auth/foreign-key-is-forbidden", ["AUTH-05"], {
    describe: "A valid key without permission is answered 403 instead of 401.",
    change: instead(
      "authentication.refusalStatus",
      403,
      ({ header, isKnownKey }) => header !== undefined && isKnownKey(header.replace("Bearer ", "")),
    ),
  }),
  doneAllTheSame("auth/refused-run-still-submits", "run", "submits the job"),
  doneAllTheSame("auth/refused-cancel-still-cancels", "cancel", "cancels the job"),
  doneAllTheSame("auth/refused-purge-still-purges", "purge-queue", "empties the queue"),
  doneAllTheSame("auth/refused-retry-still-retries", "retry", "retries the job"),
  fault("auth/requests-needs-no-key", ["AUTH-01"], {
    describe: "requests, being no operation on jobs, is answered without a key.",
    change: admitting("requests", (header) => header === undefined),
  }),
  fault("auth/remembers-who-was-let-in", ["AUTH-01"], {
    describe: "Once an endpoint has seen its key, status is answered without one.",
    change: remembering(new Set<string | undefined>(), (seen) => [
      whenever("authentication.admit", (admission, { endpoint }) => {
        if (admission === "granted") seen.add(endpoint?.id);
      }),
      admitting("status", (header, { endpoint }) => header === undefined && seen.has(endpoint?.id)),
    ]),
  }),
  fault("auth/unknown-job-before-the-key", ["AUTH-01"], {
    describe: "An unknown job is answered 404 before the header is looked at.",
    change: instead(
      "authentication.refusalStatus",
      404,
      ({ header, isUnknownJob }) => header === undefined && isUnknownJob(),
    ),
  }),
  fault("auth/key-in-any-case", ["AUTH-02"], {
    describe: "Keys are compared without regard to case.",
    change: replace(
      "authentication.isSameKey",
      (given, key) => given.toLowerCase() === key.toLowerCase(),
    ),
  }),
  fault("auth/bearer-key-is-not-compared", ["AUTH-02", "AUTH-05"], {
    describe: "runsync accepts whatever stands after the word Bearer.",
    change: admitting("runsync", (header) => header?.startsWith("Bearer ") === true),
  }),
  fault("auth/empty-value-passes", ["AUTH-02"], {
    describe: "health takes an empty authorization header for a trusted caller.",
    change: admitting("health", (header) => header === ""),
  }),
  fault("auth/foreign-key-passes-as-bearer", ["AUTH-05"], {
    describe: "status looks at the permission of a bare key only.",
    change: admitting(
      "status",
      (header, { isKnownKey }) =>
        header?.startsWith("Bearer ") === true && isKnownKey(header.slice("Bearer ".length)),
    ),
  }),
  doneAllTheSame("auth/refused-runsync-still-submits", "runsync", "submits the job"),
  doneAllTheSame("auth/refused-status-sets-the-ttl", "status", "sets the ttl of the job"),
  doneAllTheSame("auth/refused-stream-uses-up-chunks", "stream", "takes the chunks"),
  fault("auth/key-ends-at-a-space", ["AUTH-02"], {
    describe: "Only what stands before the first space of a key is compared.",
    change: replace("authentication.isSameKey", (given, key) => given.split(" ")[0] === key),
  }),
  fault("auth/key-is-compared-from-its-end", ["AUTH-02"], {
    describe: "A key with something put before it is accepted.",
    change: replace("authentication.isSameKey", (given, key) => given.endsWith(key)),
  }),
  fault("auth/wrong-keys-lock-the-right-one-out", ["AUTH-03"], {
    describe: "After ten requests with a wrong key an endpoint refuses the right one too.",
    change: remembering(new Map<string, number>(), (wrong) =>
      result("authentication.admit", (admission, _specified, { endpoint, header }) => {
        const id = endpoint?.id ?? "";
        const before = wrong.get(id) ?? 0;
        if (admission === "unauthorized" && header !== undefined) wrong.set(id, before + 1);
        return before >= 10 ? "unauthorized" : admission;
      }),
    ),
  }),
  fault("auth/permission-is-looked-at-too-late", ["AUTH-06"], {
    describe: "purge-queue with a key without permission answers 401 after it has purged.",
    change: except(
      "authentication.refusalLeavesUndone",
      (operation, { header, isKnownKey }) =>
        operation === "purge-queue" && header !== undefined && isKnownKey(header),
    ),
  }),
  fault("auth/unknown-job-before-a-wrong-key", ["AUTH-02"], {
    describe: "An unknown job is answered 404 where the key is wrong.",
    change: instead("authentication.refusalStatus", 404, (credentials) =>
      asksInVain(credentials, false),
    ),
  }),
  fault("auth/unknown-job-before-the-permission", ["AUTH-05"], {
    describe: "An unknown job is answered 404 where the key has no permission for the endpoint.",
    change: instead("authentication.refusalStatus", 404, (credentials) =>
      asksInVain(credentials, true),
    ),
  }),
  fault("auth/key-of-another-endpoint-sees-health", ["AUTH-05"], {
    describe: "health is answered to the key of any endpoint of the server.",
    change: admitting(
      "health",
      (header, { endpoint, isKnownKey }) =>
        header !== undefined && header !== endpoint?.foreignKey && isKnownKey(header),
    ),
  }),
  fault("auth/refused-runsync-with-a-policy-still-submits", ["AUTH-06"], {
    describe: "runsync answers 401 and submits the job nevertheless where it has a policy.",
    change: remembering({ refused: 0 }, (memory) => [
      except("authentication.refusalLeavesUndone", on("runsync")),
      whenever("authentication.refusalLeavesUndone", (operation) => {
        if (operation === "runsync") memory.refused += 1;
      }),
      override("submission.inputOf", (inputOf) => (body, operation) => {
        if (operation !== "runsync" || memory.refused === 0) return inputOf(body, operation);
        memory.refused -= 1;
        return body["policy"] === undefined ? undefined : inputOf(body, operation);
      }),
    ]),
  }),
];

/** A request of one operation that answers 401 takes effect; `effect` says which. */
function doneAllTheSame(name: `auth/${string}`, operation: OperationName, effect: string): Fault {
  return fault(name, ["AUTH-06"], {
    describe: `${operation} answers 401 and ${effect} nevertheless.`,
    change: except("authentication.refusalLeavesUndone", on(operation)),
  });
}

/** Admits requests of this operation to an existing endpoint where `condition` holds of their header. */
function admitting(
  wanted: OperationName,
  condition: (header: string | undefined, credentials: Credentials) => boolean,
): Change {
  return instead(
    "authentication.admit",
    "granted",
    (_admission, credentials) =>
      credentials.operation === wanted &&
      credentials.endpoint !== undefined &&
      condition(credentials.header, credentials),
  );
}

/** Whether a request with some key asks about a job that is not there. */
function asksInVain(
  { header, endpoint, isUnknownJob, isKnownKey }: Credentials,
  isKnown: boolean,
): boolean {
  if (header === undefined || endpoint === undefined || !isUnknownJob()) return false;
  return isKnownKey(header.replace(/^bearer +/i, "")) === isKnown;
}
