import { describe, expect, test } from "vitest";

import { describeErrors } from "./describe-errors.ts";
import { validators } from "./generated/validators.ts";
import { controlSchemaNames, jobSchemaNames } from "./schema-names.ts";
import type { SchemaName } from "./schemas.ts";

/** Bodies of one schema: those that conform, and those that do not, each with its one fault. */
interface Table {
  readonly accepted: Readonly<Record<string, unknown>>;
  readonly refused: Readonly<Record<string, unknown>>;
}

const completed = {
  id: "a",
  status: "COMPLETED",
  output: { v: 1 },
  delayTime: 0,
  executionTime: 1,
};
const queued = { id: "a", status: "IN_QUEUE" };
const health = {
  jobs: { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
  workers: { idle: 1, running: 0 },
};
const endpoint = { endpointId: "e", apiKey: "k", foreignKey: "f" };

const queuedRecord: Table = {
  accepted: {
    plain: queued,
    "an odd id": { id: "ü /?#", status: "IN_QUEUE" },
    "more members": { ...queued, x: null },
  },
  refused: {
    "another state": { ...queued, status: "IN_PROGRESS" },
    "an empty id": { ...queued, id: "" },
    "a number for an id": { ...queued, id: 7 },
    "no id": { status: "IN_QUEUE" },
    "no status": { id: "a" },
    "an output": { ...queued, output: {} },
    "no object": "a",
  },
};

const record: Table = {
  accepted: {
    completed,
    "an array for output": { ...completed, output: [] },
    "more members": { ...completed, workerId: "w", error: null },
    queued,
    "queued, with a delay": { ...queued, delayTime: 3 },
    "in progress": { id: "a", status: "IN_PROGRESS" },
    failed: { id: "a", status: "FAILED", delayTime: 0, executionTime: 0 },
    "timed out": { id: "a", status: "TIMED_OUT", delayTime: 0, executionTime: 0 },
    "cancelled in the queue": { id: "a", status: "CANCELLED" },
  },
  refused: {
    "a state of its own": { ...queued, status: "ERROR" },
    "no status": { id: "a" },
    "completed without output": { ...completed, output: undefined },
    "completed without delayTime": { ...completed, delayTime: undefined },
    "completed without executionTime": { ...completed, executionTime: undefined },
    "a string for output": { ...completed, output: "text" },
    "null for output": { ...completed, output: null },
    "output before completion": { id: "a", status: "IN_PROGRESS", output: {} },
    "output of a failed job": {
      id: "a",
      status: "FAILED",
      delayTime: 0,
      executionTime: 0,
      output: {},
    },
    "output of a cancelled job": { id: "a", status: "CANCELLED", output: [] },
    "a fraction of a time": { ...completed, delayTime: 0.5 },
    "a negative time": { ...completed, executionTime: -1 },
    "a time as text": { ...completed, executionTime: "1" },
  },
};

/** Demanded of every finished job by status and the webhook, of a completed one alone by runsync. */
const failedWithoutTimes = { id: "a", status: "FAILED" };
const finished: Table = {
  accepted: record.accepted,
  refused: {
    ...record.refused,
    "failed without times": failedWithoutTimes,
    "timed out without executionTime": { id: "a", status: "TIMED_OUT", delayTime: 0 },
  },
};

const anyObject: Table = {
  accepted: { empty: {}, "any members": { data: [1] } },
  refused: { "an array": [], text: "ok", null: null },
};

const submission = (more: object): object => ({ input: {}, ...more });
const policy = (more: object): object => submission({ policy: more });

const tables: Readonly<Record<SchemaName, Table>> = {
  RunAnswer: queuedRecord,
  RetryAnswer: queuedRecord,
  RunsyncAnswer: {
    ...record,
    accepted: { ...record.accepted, "failed without times": failedWithoutTimes },
  },
  StatusAnswer: finished,
  WebhookBody: finished,
  StreamAnswer: {
    accepted: {
      "no chunk": [],
      "empty metrics": [{ output: { index: 0 }, metrics: {} }],
      "metrics of any kind": [{ output: {}, metrics: { running: 1, scenario: "stream" }, x: 1 }],
    },
    refused: {
      "no array": { status: "COMPLETED", stream: [] },
      "no output": [{ metrics: {} }],
      "no metrics": [{ output: {} }],
      "text for output": [{ output: "a", metrics: {} }],
      "an array for metrics": [{ output: {}, metrics: [] }],
      "one bad chunk after a good one": [{ output: {}, metrics: {} }, null],
    },
  },
  CancelAnswer: {
    accepted: {
      cancelled: { id: "a", status: "CANCELLED" },
      "unchanged state": { id: "a", status: "COMPLETED" },
    },
    refused: {
      unfinished: { id: "a", status: "IN_PROGRESS" },
      "no id": { status: "CANCELLED" },
      "no status": { id: "a" },
    },
  },
  PurgeAnswer: {
    accepted: {
      none: { removed: 0, status: "completed" },
      many: { removed: 2, status: "completed", x: 1 },
    },
    refused: {
      "capital letters": { removed: 0, status: "COMPLETED" },
      "a negative number": { removed: -1, status: "completed" },
      "no number": { status: "completed" },
      "no status": { removed: 0 },
    },
  },
  HealthAnswer: {
    accepted: {
      plain: health,
      "more counts": { ...health, workers: { ...health.workers, throttled: 0 } },
    },
    refused: {
      "no workers": { jobs: health.jobs },
      "one job count missing": { ...health, jobs: { ...health.jobs, retried: undefined } },
      "one worker count missing": { ...health, workers: { idle: 1 } },
      "a fraction": { ...health, workers: { idle: 0.5, running: 0 } },
      "a negative count": { ...health, jobs: { ...health.jobs, inQueue: -1 } },
    },
  },
  OpenAiAnswer: anyObject,
  RequestsAnswer: anyObject,
  JobSubmission: {
    accepted: {
      "input alone": submission({}),
      "any input": { input: { a: [null, { b: "ü" }], "": 1e300 } },
      "a webhook": submission({ webhook: "http://127.0.0.1:9000/hook?a=b" }),
      "a webhook with letters of any script": submission({ webhook: "http://127.0.0.1/ü" }),
      "an empty policy": policy({}),
      "lower bounds": policy({ executionTimeout: 5000, ttl: 10_000, lowPriority: false }),
      "upper bounds": policy({
        executionTimeout: 604_800_000,
        ttl: 604_800_000,
        lowPriority: true,
      }),
      "an s3Config": submission({
        s3Config: { accessId: "a", accessSecret: "b", bucketName: "c", endpointUrl: "d" },
      }),
    },
    refused: {
      "no input": {},
      "null for input": { input: null },
      "an array for input": { input: [] },
      "text for input": { input: "a" },
      "no object": [],
      "a webhook that is no URL": submission({ webhook: "not a url" }),
      "a webhook without a scheme": submission({ webhook: "127.0.0.1/hook" }),
      "a webhook without a host": submission({ webhook: "http://" }),
      "a webhook that is a path": submission({ webhook: "/hook" }),
      "an empty webhook": submission({ webhook: "" }),
      "a webhook that is no string": submission({ webhook: 1 }),
      "a policy that is no object": submission({ policy: [] }),
      "executionTimeout below its bound": policy({ executionTimeout: 4999 }),
      "executionTimeout above its bound": policy({ executionTimeout: 604_800_001 }),
      "executionTimeout with a fraction": policy({ executionTimeout: 5000.5 }),
      "executionTimeout as text": policy({ executionTimeout: "5000" }),
      "ttl below its bound": policy({ ttl: 9999 }),
      "ttl above its bound": policy({ ttl: 604_800_001 }),
      "ttl with a fraction": policy({ ttl: 10_000.5 }),
      "lowPriority as a number": policy({ lowPriority: 1 }),
      "an s3Config that is no object": submission({ s3Config: "a" }),
      "an s3Config with a number": submission({ s3Config: { bucketName: 1 } }),
    },
  },
  ControlInfo: {
    accepted: {
      plain: { protocol: "queueproof-control/1", capabilities: ["clock"] },
      "a capability of a later version": {
        protocol: "queueproof-control/1",
        capabilities: ["teleport"],
      },
    },
    refused: {
      "another version": { protocol: "queueproof-control/2", capabilities: [] },
      "no list": { protocol: "queueproof-control/1" },
      "a number in the list": { protocol: "queueproof-control/1", capabilities: [1] },
    },
  },
  ControlEndpointRequest: {
    accepted: {
      empty: {},
      fixed: { workers: 0, allowance: 50, clock: "real", executionTimeoutMs: 5000 },
      scaling: { scaling: { min: 0, max: 3 } },
    },
    refused: {
      "a negative number of workers": { workers: -1 },
      "fixed and scaling": { workers: 1, scaling: { min: 0, max: 3 } },
      "no maximum": { scaling: { min: 0 } },
      "another clock": { clock: "broken" },
      "a negative allowance": { allowance: -1 },
      "no time at all": { executionTimeoutMs: 0 },
    },
  },
  ControlEndpoint: {
    accepted: { plain: endpoint },
    refused: {
      "no key": { ...endpoint, apiKey: undefined },
      "an empty id": { ...endpoint, endpointId: "" },
    },
  },
  ControlClock: {
    accepted: {
      virtual: { nowMs: 0, mode: "virtual" },
      "a fraction": { nowMs: -0.5, mode: "real" },
    },
    refused: { "another mode": { nowMs: 0, mode: "slow" }, "no time": { mode: "real" } },
  },
  ControlAdvanceRequest: {
    accepted: { settle: { ms: 0 }, "7 days": { ms: 604_800_000 } },
    refused: { back: { ms: -1 }, "a fraction": { ms: 0.5 }, none: {} },
  },
  ControlAdvanced: {
    accepted: { plain: { nowMs: 5 } },
    refused: { text: { nowMs: "5" }, none: {} },
  },
  ControlWorkers: {
    accepted: { none: { count: 0 } },
    refused: { negative: { count: -1 }, none: {} },
  },
  ControlHold: {
    accepted: { plain: { operation: "purge-queue", held: true } },
    refused: {
      "another operation": { operation: "purge", held: true },
      "no flag": { operation: "run" },
    },
  },
  ControlError: {
    accepted: { plain: { error: "why" } },
    refused: { text: "why", "another member": { message: "why" } },
  },
};

describe.each([...jobSchemaNames, ...controlSchemaNames])("%s", (schema) => {
  const { accepted, refused } = tables[schema];
  const validate = validators[schema];

  test.each(Object.entries(accepted))("accepts: %s", (_, body) => {
    expect(validate(asReceived(body)) ? "valid" : describeErrors(validate.errors)).toBe("valid");
  });

  test.each(Object.entries(refused))("refuses: %s", (_, body) => {
    expect(validate(asReceived(body))).toBe(false);
    expect(describeErrors(validate.errors)).toMatch(/^\S+ must [^;]+$/u);
  });
});

test.each([
  { what: "a long host", webhook: `http://${"a".repeat(10_000_000)}` },
  { what: "a long path", webhook: `http://h/${"a/".repeat(5_000_000)}` },
  { what: "a long text of another kind", webhook: "a:".repeat(5_000_000) },
])("a webhook of 10 MB is judged and does not throw: $what", ({ webhook }) => {
  expect(() => validators.JobSubmission({ input: {}, webhook })).not.toThrow();
});

test("no validator is without a table", () => {
  expect(Object.keys(tables).toSorted()).toEqual(Object.keys(validators).toSorted());
});

/** What a receiver would parse: a member that is undefined here is absent there. */
function asReceived(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body));
}
