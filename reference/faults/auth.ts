import type { Fault } from "../fault.ts";

export const authFaults: readonly Fault[] = [
  {
    name: "auth/health-needs-no-key",
    breaks: ["AUTH-01"],
    describe: "health answers a request without an authorization header.",
    change: () => ({
      authentication: {
        admit: (admission, { operation, header, endpoint }) =>
          operation === "health" && header === undefined && endpoint !== undefined
            ? "granted"
            : admission,
      },
    }),
  },
  {
    name: "auth/missing-key-is-a-bad-request",
    breaks: ["AUTH-01"],
    describe: "stream answers 400 instead of 401 where the header is missing.",
    change: () => ({
      authentication: {
        refusalStatus: ({ operation, header }) =>
          operation === "stream" && header === undefined ? 400 : 401,
      },
    }),
  },
  {
    name: "auth/stream-takes-any-key",
    breaks: ["AUTH-02"],
    describe: "stream looks only at whether there is a key.",
    change: ({ authentication }) => ({
      authentication: {
        isSameKey: (given, key, operation) =>
          operation === "stream" || authentication.isSameKey(given, key, operation),
      },
    }),
  },
  {
    name: "auth/last-character-is-not-compared",
    breaks: ["AUTH-02"],
    describe: "A key whose last character is wrong is accepted.",
    change: () => ({
      authentication: {
        isSameKey: (given, key) =>
          given.length === key.length && given.slice(0, -1) === key.slice(0, -1),
      },
    }),
  },
  {
    name: "auth/longer-key-is-accepted",
    breaks: ["AUTH-02"],
    describe: "A key with something appended is accepted.",
    change: () => ({ authentication: { isSameKey: (given, key) => given.startsWith(key) } }),
  },
  {
    name: "auth/purge-wants-bearer",
    breaks: ["AUTH-03"],
    describe: "purge-queue refuses the bare key.",
    change: ({ authentication }) => ({
      authentication: {
        keyOf: (header, operation) =>
          operation === "purge-queue" && header?.startsWith("Bearer ") !== true
            ? undefined
            : authentication.keyOf(header, operation),
      },
    }),
  },
  {
    name: "auth/retry-knows-no-bearer",
    breaks: ["AUTH-04"],
    describe: "retry takes the word Bearer for a part of the key.",
    change: ({ authentication }) => ({
      authentication: {
        keyOf: (header, operation) =>
          operation === "retry" ? header : authentication.keyOf(header, operation),
      },
    }),
  },
  {
    name: "auth/foreign-key-may-cancel",
    breaks: ["AUTH-05"],
    describe: "cancel accepts a valid key that has no permission for the endpoint.",
    change: () => ({
      authentication: { permitsForeignKey: (operation) => operation === "cancel" },
    }),
  },
  {
    name: "auth/foreign-key-is-forbidden",
    breaks: ["AUTH-05"],
    describe: "A valid key without permission is answered 403 instead of 401.",
    change: () => ({
      authentication: {
        refusalStatus: ({ header, isKnownKey }) =>
          header !== undefined && isKnownKey(header.replace("Bearer ", "")) ? 403 : 401,
      },
    }),
  },
  {
    name: "auth/refused-run-still-submits",
    breaks: ["AUTH-06"],
    describe: "run answers 401 and submits the job nevertheless.",
    change: () => ({ authentication: { refusalLeavesUndone: (operation) => operation !== "run" } }),
  },
  {
    name: "auth/refused-cancel-still-cancels",
    breaks: ["AUTH-06"],
    describe: "cancel answers 401 and cancels the job nevertheless.",
    change: () => ({
      authentication: { refusalLeavesUndone: (operation) => operation !== "cancel" },
    }),
  },
  {
    name: "auth/refused-purge-still-purges",
    breaks: ["AUTH-06"],
    describe: "purge-queue answers 401 and empties the queue nevertheless.",
    change: () => ({
      authentication: { refusalLeavesUndone: (operation) => operation !== "purge-queue" },
    }),
  },
  {
    name: "auth/refused-retry-still-retries",
    breaks: ["AUTH-06"],
    describe: "retry answers 401 and retries the job nevertheless.",
    change: () => ({
      authentication: { refusalLeavesUndone: (operation) => operation !== "retry" },
    }),
  },
  {
    name: "auth/requests-needs-no-key",
    breaks: ["AUTH-01"],
    describe: "requests, being no operation on jobs, is answered without a key.",
    change: () => ({
      authentication: {
        admit: (admission, { operation, header, endpoint }) =>
          operation === "requests" && header === undefined && endpoint !== undefined
            ? "granted"
            : admission,
      },
    }),
  },
  {
    name: "auth/remembers-who-was-let-in",
    breaks: ["AUTH-01"],
    describe: "Once an endpoint has seen its key, status is answered without one.",
    change: () => {
      const seen = new Set<string>();
      return {
        authentication: {
          admit: (admission, { operation, header, endpoint }) => {
            if (endpoint === undefined) return admission;
            if (admission === "granted") seen.add(endpoint.id);
            const remembered = header === undefined && seen.has(endpoint.id);
            return remembered && operation === "status" ? "granted" : admission;
          },
        },
      };
    },
  },
  {
    name: "auth/unknown-job-before-the-key",
    breaks: ["AUTH-01"],
    describe: "An unknown job is answered 404 before the header is looked at.",
    change: () => ({
      authentication: {
        refusalStatus: ({ header, isUnknownJob }) =>
          header === undefined && isUnknownJob() ? 404 : 401,
      },
    }),
  },
  {
    name: "auth/key-in-any-case",
    breaks: ["AUTH-02"],
    describe: "Keys are compared without regard to case.",
    change: () => ({
      authentication: {
        isSameKey: (given, key) => given.toLowerCase() === key.toLowerCase(),
      },
    }),
  },
  {
    name: "auth/bearer-key-is-not-compared",
    breaks: ["AUTH-02", "AUTH-05"],
    describe: "runsync accepts whatever stands after the word Bearer.",
    change: () => ({
      authentication: {
        admit: (admission, { operation, header, endpoint }) =>
          operation === "runsync" &&
          header?.startsWith("Bearer ") === true &&
          endpoint !== undefined
            ? "granted"
            : admission,
      },
    }),
  },
  {
    name: "auth/empty-value-passes",
    breaks: ["AUTH-02"],
    describe: "health takes an empty authorization header for a trusted caller.",
    change: () => ({
      authentication: {
        admit: (admission, { operation, header, endpoint }) =>
          operation === "health" && header === "" && endpoint !== undefined ? "granted" : admission,
      },
    }),
  },
  {
    name: "auth/foreign-key-passes-as-bearer",
    breaks: ["AUTH-05"],
    describe: "status looks at the permission of a bare key only.",
    change: () => ({
      authentication: {
        admit: (admission, { operation, header, endpoint, isKnownKey }) =>
          operation === "status" &&
          endpoint !== undefined &&
          header?.startsWith("Bearer ") === true &&
          isKnownKey(header.slice("Bearer ".length))
            ? "granted"
            : admission,
      },
    }),
  },
  {
    name: "auth/refused-runsync-still-submits",
    breaks: ["AUTH-06"],
    describe: "runsync answers 401 and submits the job nevertheless.",
    change: () => ({
      authentication: { refusalLeavesUndone: (operation) => operation !== "runsync" },
    }),
  },
  {
    name: "auth/refused-status-sets-the-ttl",
    breaks: ["AUTH-06"],
    describe: "status answers 401 and sets the ttl of the job nevertheless.",
    change: () => ({
      authentication: { refusalLeavesUndone: (operation) => operation !== "status" },
    }),
  },
  {
    name: "auth/refused-stream-uses-up-chunks",
    breaks: ["AUTH-06"],
    describe: "stream answers 401 and takes the chunks nevertheless.",
    change: () => ({
      authentication: { refusalLeavesUndone: (operation) => operation !== "stream" },
    }),
  },
  {
    name: "auth/permission-is-looked-at-too-late",
    breaks: ["AUTH-06"],
    describe: "purge-queue with a key without permission answers 401 after it has purged.",
    change: () => ({
      authentication: {
        refusalLeavesUndone: (operation, { header, isKnownKey }) =>
          operation !== "purge-queue" || header === undefined || !isKnownKey(header),
      },
    }),
  },
];
