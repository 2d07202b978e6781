import { valueAt } from "../../openapi/departures.ts";
import {
  answered,
  changingAnswers,
  changingBodies,
  changingRecords,
  isSuccess,
  memberIn,
} from "./departures.ts";
import type { StrangerKind } from "./kinds.ts";

/** What it answers, but for a purge and a stream, stands in a member of the body. */
export const enveloped = changingBodies(
  ["run", "runsync", "status", "cancel", "retry", "health", "openai", "requests"],
  (data) => ({ success: true, data }),
);

const stateNames = new Map([
  ["IN_QUEUE", "queued"],
  ["IN_PROGRESS", "running"],
  ["COMPLETED", "succeeded"],
]);

const memberNames = new Map([
  ["id", "job_id"],
  ["status", "state"],
  ["output", "result"],
  ["delayTime", "delay_time"],
  ["executionTime", "execution_time"],
]);

const nullMembers = { output: null, error: null, delayTime: null, executionTime: null };

/** Kinds that answer what is asked, in another form. */
export const otherForms: readonly StrangerKind[] = [
  { what: "an envelope", departure: () => enveloped, causes: ["envelope"] },
  {
    what: "other names of states",
    departure: () =>
      changingRecords((record) => {
        const state = String(record["status"]);
        return { ...record, status: stateNames.get(state) ?? state.toLowerCase() };
      }),
    causes: ["states-otherwise"],
  },
  {
    what: "other names of members",
    departure: () =>
      changingRecords((record) =>
        Object.fromEntries(
          Object.entries(record).map(([name, value]) => [memberNames.get(name) ?? name, value]),
        ),
      ),
    causes: ["members-otherwise"],
  },
  {
    // As frameworks write models.
    what: "null for what is absent",
    departure: () =>
      changingRecords((record) => ({
        ...nullMembers,
        ...record,
      })),
    causes: ["null-members"],
  },
  {
    what: "outputs as text",
    departure: () =>
      changingRecords(({ output, ...record }) =>
        output === undefined ? record : { ...record, output: JSON.stringify(output) },
      ),
    causes: ["outputs-in-text"],
  },
  {
    what: "outputs in a member of their own",
    departure: () =>
      changingRecords(({ output, ...record }) =>
        output === undefined ? record : { ...record, output: { result: output } },
      ),
    causes: ["outputs-in-member"],
  },
  {
    what: "a byte order mark before each body",
    departure: () =>
      changingAnswers((answer) => {
        const body = Buffer.concat([Buffer.from("\uFEFF"), answer.body]);
        return answer.body.length === 0 ? answer : { ...answer, body };
      }),
    causes: ["byte-order-mark"],
  },
  {
    what: "500 with the record of a failed job",
    departure: () =>
      changingAnswers((answer, { operation }) =>
        operation === "status" && memberIn(answer, "status") === "FAILED"
          ? { ...answer, status: 500 }
          : answer,
      ),
    causes: ["record-with-500"],
  },
  {
    what: "a redirect to the result of a completed job",
    departure: () =>
      changingAnswers((answer, { operation, id }) =>
        operation === "status" && memberIn(answer, "status") === "COMPLETED"
          ? { status: 303, headers: { location: `/results/${id}` }, body: Buffer.alloc(0) }
          : answer,
      ),
    causes: ["status-redirects"],
  },
  {
    what: "streams without chunks",
    departure: () => changingBodies(["stream"], () => []),
    causes: ["streams-empty"],
  },
  {
    what: "outputs alone",
    departure: () =>
      changingBodies(["runsync"], (record) =>
        valueAt(record, "status") === "COMPLETED" ? valueAt(record, "output") : record,
      ),
    causes: ["runsync-output-alone"],
  },
  {
    what: "408 when the wait is over",
    departure: () =>
      changingAnswers((answer, { operation }) => {
        const isWaitOver =
          operation === "runsync" &&
          answer.status === 200 &&
          ["IN_QUEUE", "IN_PROGRESS"].includes(String(memberIn(answer, "status")));
        const id = isWaitOver && memberIn(answer, "id");
        return isWaitOver ? answered(408, { error: "timed out", id }) : answer;
      }),
    causes: ["wait-over-408"],
  },
  {
    what: "a health that counts nothing",
    departure: () =>
      changingBodies(["health"], (health) => ({
        jobs: Object.assign({}, valueAt(health, "jobs"), { inQueue: 0, inProgress: 0 }),
        workers: { idle: 3, running: 0 },
      })),
    causes: ["health-counts-nothing"],
  },
  {
    what: "no job IN_PROGRESS",
    departure: () =>
      changingRecords((record) =>
        record["status"] === "IN_PROGRESS" ? { ...record, status: "IN_QUEUE" } : record,
      ),
    causes: ["never-in-progress"],
  },
  {
    // A job whose handler raises an error is COMPLETED, with the error as its output.
    what: "no job FAILED",
    departure: () =>
      changingRecords(({ error, ...record }) =>
        record["status"] === "FAILED"
          ? { ...record, status: "COMPLETED", output: { error } }
          : { ...record, ...(error !== undefined && { error }) },
      ),
    causes: ["never-failed"],
  },
  {
    what: "records without times",
    departure: () =>
      changingRecords(({ delayTime: _delay, executionTime: _execution, ...record }) => record),
    causes: ["times-missing"],
  },
  {
    // As that of the live service.
    what: "an object as stream",
    departure: () => changingBodies(["stream"], (stream) => ({ status: "IN_PROGRESS", stream })),
    causes: ["stream-in-object"],
  },
  {
    what: "events as stream",
    departure: () =>
      changingAnswers((answer, { operation }) => {
        if (operation !== "stream" || !isSuccess(answer)) return answer;
        const headers = { "content-type": "text/event-stream" };
        return { status: 200, headers, body: Buffer.from(`data: ${answer.body.toString()}\n\n`) };
      }),
    causes: ["stream-of-events"],
  },
  {
    // With a fraction.
    what: "times in seconds",
    departure: () =>
      changingRecords(({ delayTime, executionTime, ...record }) => ({
        ...record,
        ...(typeof delayTime === "number" && { delayTime: (delayTime + 0.5) / 1000 }),
        ...(typeof executionTime === "number" && { executionTime: (executionTime + 0.5) / 1000 }),
      })),
    causes: ["times-otherwise"],
  },
  {
    what: "bare answers",
    departure: () =>
      changingAnswers((answer, { operation }) => {
        if (!isSuccess(answer)) return answer;
        if (operation === "cancel") return { status: 204, headers: {}, body: Buffer.alloc(0) };
        if (operation === "retry") return answered(answer.status, { message: "queued again" });
        return operation === "run"
          ? answered(answer.status, { id: memberIn(answer, "id") })
          : answer;
      }),
    causes: ["bare-cancel", "bare-retry", "bare-run"],
  },
  {
    // As some frameworks do.
    what: "403 without a key",
    departure: () =>
      changingAnswers((answer, _asked, { headers }) =>
        answer.status === 401 && headers["authorization"] === undefined
          ? answered(403, { detail: "Not authenticated" })
          : answer,
      ),
    causes: ["key-refusals-403"],
  },
  {
    what: "403 for a wrong key",
    departure: () =>
      changingAnswers((answer) =>
        answer.status === 401 ? answered(403, { error: "Forbidden" }) : answer,
      ),
    causes: ["key-refusals-403"],
  },
  {
    what: "errors in successes",
    departure: () =>
      changingAnswers((answer) =>
        answer.status < 400 || answer.status === 429
          ? answer
          : answered(200, { error: `error ${answer.status}` }),
      ),
    causes: ["errors-in-successes"],
  },
];
