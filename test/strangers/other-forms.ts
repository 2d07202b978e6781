import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, parseJson } from "../../client/parse-json.ts";
import type { JsonMembers } from "../../client/parse-json.ts";
import { finalStates } from "../../harness/record.ts";
import { valueAt } from "../../openapi/departures.ts";
import { isSubmission } from "../../openapi/operations.ts";
import { answered, askedIn, isSuccess, nowhere } from "./departures.ts";
import type { Departure, Pass, StrangeAnswer, StrangeRequest } from "./departures.ts";

/** Servers that answer what is asked of them, in another form. */

function changed(answer: StrangeAnswer, change: (text: string) => unknown): StrangeAnswer {
  return isSuccess(answer) ? answered(answer.status, change(answer.body.toString())) : answer;
}

/** What it answers stands in a member of the body. */
export const enveloped: Departure = async (request, pass) => {
  const answer = await pass(request);
  const { operation } = askedIn(request.path);
  if (operation === "purge-queue" || operation === "stream") return answer;
  return changed(answer, (text) => ({ success: true, data: parseJson(text) }));
};

const names = new Map([
  ["IN_QUEUE", "queued"],
  ["IN_PROGRESS", "running"],
  ["COMPLETED", "succeeded"],
]);

/** Its states are called as others call them. */
export const otherStates: Departure = async (request, pass) => {
  const answer = await pass(request);
  return changed(answer, (text) => {
    const body = parseJson(text);
    if (!isJsonObject(body) || !isRecordOf(request.path)) return body;
    const state = String(body["status"]);
    return { ...body, status: names.get(state) ?? state.toLowerCase() };
  });
};

function isRecordOf(path: string): boolean {
  return ["run", "runsync", "status", "cancel", "retry"].includes(askedIn(path).operation);
}

/** It answers a wrong key with 403. */
export const forbidding: Departure = async (request, pass) => {
  const answer = await pass(request);
  return answer.status === 401 ? answered(403, { error: "Forbidden" }) : answer;
};

/** It answers every error with 200, and tells it in the body. */
export const errorsInSuccesses: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (answer.status < 400 || answer.status === 429) return answer;
  return answered(200, { error: `error ${answer.status}` });
};

/** Its runsync holds the answer until the job has ended, whatever the wait. */
export const holdingRunsync: Departure = async (request, pass) =>
  pass({ ...request, path: request.path.replace(/wait=\d+/, "wait=300000") });

/** Its status is there for POST alone. */
export const statusByPost: Departure = async (request, pass) => {
  if (askedIn(request.path).operation !== "status") return pass(request);
  if (request.method === "GET") return answered(405, { detail: "Method Not Allowed" });
  return request.method === "POST" ? pass({ ...request, method: "GET" }) : nowhere;
};

/** What a record has not is there as null, as frameworks write models. */
export const nullMembers: Departure = async (request, pass) => {
  const answer = await pass(request);
  const absent = { output: null, error: null, delayTime: null, executionTime: null };
  return isRecordOf(request.path)
    ? changed(answer, (text) => Object.assign({}, absent, parseJson(text)))
    : answer;
};

/** Its outputs are JSON as a text. */
export const outputsInText: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (!isRecordOf(request.path)) return answer;
  return changed(answer, (text) => {
    const record = parseJson(text);
    return isJsonObject(record) && record["output"] !== undefined
      ? { ...record, output: JSON.stringify(record["output"]) }
      : record;
  });
};

/** Its runsync answers the output of the job alone. */
export const outputAlone: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (askedIn(request.path).operation !== "runsync") return answer;
  return changed(answer, (text) => {
    const record = parseJson(text);
    return valueAt(record, "status") === "COMPLETED" ? valueAt(record, "output") : record;
  });
};

/** Its runsync answers 408 with the job's id when the wait is over. */
export const waitOverAsError: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (askedIn(request.path).operation !== "runsync" || answer.status !== 200) return answer;
  const record = parseJson(answer.body.toString());
  const isUnfinished = ["IN_QUEUE", "IN_PROGRESS"].includes(String(valueAt(record, "status")));
  return isUnfinished ? answered(408, { error: "timed out", id: valueAt(record, "id") }) : answer;
};

/** Its cancel fails with every job that it knows. */
export const failingCancel: Departure = async (request, pass) => {
  const { operation, id } = askedIn(request.path);
  const isKnown = operation === "cancel" && (await isThere(id, request, pass));
  return isKnown ? answered(500, { error: "internal" }) : pass(request);
};

/** Its cancel says that it has cancelled, and has not. */
export const idleCancel: Departure = async (request, pass) => {
  const { operation, id } = askedIn(request.path);
  const isKnown = operation === "cancel" && (await isThere(id, request, pass));
  return isKnown ? answered(200, { id, status: "CANCELLED" }) : pass(request);
};

async function isThere(id: string, request: StrangeRequest, pass: Pass): Promise<boolean> {
  const path = request.path.replace("/cancel/", "/status/");
  const { status } = await pass({ ...request, method: "GET", path, body: Buffer.alloc(0) });
  return id !== "" && status === 200;
}

/** Its health says that nothing waits and nothing is at work, whatever does. */
export const stillHealth: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (askedIn(request.path).operation !== "health") return answer;
  return changed(answer, (text) => {
    const jobs = valueAt(parseJson(text), "jobs");
    return {
      jobs: Object.assign({}, jobs, { inQueue: 0, inProgress: 0 }),
      workers: { idle: 3, running: 0 },
    };
  });
};

/** Its retry fails, whatever it does. */
export const failingRetry: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isAccepted = askedIn(request.path).operation === "retry" && isSuccess(answer);
  return isAccepted ? answered(500, { error: "internal" }) : answer;
};

/** Its retry never answers. */
export const silentRetry: Departure = async (request, pass) =>
  askedIn(request.path).operation === "retry" ? new Promise(() => undefined) : pass(request);

/** Each of its POST requests has to have a body. */
export const bodiesNeeded: Departure = async (request, pass) => {
  const { method, body, path } = request;
  const isBare = method === "POST" && body.length === 0;
  return isBare && ["cancel", "retry", "purge-queue"].includes(askedIn(path).operation)
    ? answered(400, { error: "body required" })
    : pass(request);
};

const otherNames = new Map([
  ["id", "job_id"],
  ["status", "state"],
  ["output", "result"],
  ["delayTime", "delay_time"],
  ["executionTime", "execution_time"],
]);

/** The members of its records have other names. */
export const otherMembers: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (!isRecordOf(request.path)) return answer;
  return changed(answer, (text) => {
    const entries = Object.entries(parseJson(text) ?? {}).map(
      ([name, value]): [string, unknown] => [otherNames.get(name) ?? name, value],
    );
    return Object.fromEntries(entries);
  });
};

/** It tells everybody how it is. */
export function openHealth(key: string): Departure {
  return async (request, pass) => {
    const headers = { ...request.headers, authorization: key };
    return pass(askedIn(request.path).operation === "health" ? { ...request, headers } : request);
  };
}

/** Its stream answers as that of the live service: an object that has the array. */
export const streamInObject: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (askedIn(request.path).operation !== "stream") return answer;
  return changed(answer, (text) => ({ status: "IN_PROGRESS", stream: parseJson(text) }));
};

/** Its stream sends events. */
export const streamOfEvents: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (askedIn(request.path).operation !== "stream" || !isSuccess(answer)) return answer;
  const headers = { "content-type": "text/event-stream" };
  return { status: 200, headers, body: Buffer.from(`data: ${answer.body.toString()}\n\n`) };
};

/** Its cancel is there for DELETE alone. */
export const cancelByDelete: Departure = async (request, pass) => {
  const isCancel = askedIn(request.path).operation === "cancel";
  return isCancel ? answered(405, { detail: "Method Not Allowed" }) : pass(request);
};

/** It fails at what it does not know. */
export const failingAtUnknown: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isOfJob = askedIn(request.path).id !== "";
  return answer.status === 404 && isOfJob ? answered(500, { error: "KeyError" }) : answer;
};

/** It has a record for jobs that it does not know. */
export const recordOfUnknown: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isOfJob = askedIn(request.path).id !== "";
  return answer.status === 404 && isOfJob ? answered(200, { id: "", status: "NOT_FOUND" }) : answer;
};

/** The times of its records are in seconds, with a fraction. */
export const timesInSeconds: Departure = async (request, pass) => {
  const answer = await pass(request);
  if (!isRecordOf(request.path)) return answer;
  return changed(answer, (text) => {
    const body = parseJson(text);
    if (!isJsonObject(body)) return body;
    const { delayTime, executionTime, ...rest } = body;
    return {
      ...rest,
      ...(typeof delayTime === "number" && { delayTime: (delayTime + 0.5) / 1000 }),
      ...(typeof executionTime === "number" && { executionTime: (executionTime + 0.5) / 1000 }),
    };
  });
};

/** Its run answers an id, its cancel nothing, and its retry a message. */
export const bareAnswers: Departure = async (request, pass) => {
  const answer = await pass(request);
  const { operation } = askedIn(request.path);
  if (operation === "cancel" && isSuccess(answer))
    return { ...answer, status: 204, headers: {}, body: Buffer.alloc(0) };
  if (operation === "retry") return changed(answer, () => ({ message: "queued again" }));
  if (operation !== "run") return answer;
  return changed(answer, (text) => {
    const body = parseJson(text);
    return isJsonObject(body) ? { id: body["id"] } : body;
  });
};

/** It answers 403 where no key comes, as some frameworks do. */
export const forbiddingNone: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isNone = answer.status === 401 && request.headers["authorization"] === undefined;
  return isNone ? answered(403, { detail: "Not authenticated" }) : answer;
};

/** The record of a job, changed by `change`, in whatever answers one. */
function inRecords(change: (record: JsonMembers) => JsonMembers): Departure {
  return async (request, pass) => {
    const answer = await pass(request);
    if (!isRecordOf(request.path)) return answer;
    return changed(answer, (text) => {
      const record = parseJson(text);
      return isJsonObject(record) ? change(record) : record;
    });
  };
}

/** A job is IN_QUEUE until it has ended. */
export const neverInProgress = inRecords((record) =>
  record["status"] === "IN_PROGRESS" ? { ...record, status: "IN_QUEUE" } : record,
);

/** A job whose handler raises an error is COMPLETED, with the error as its output. */
export const errorsCompleted = inRecords(({ error, ...record }) =>
  record["status"] === "FAILED"
    ? { ...record, status: "COMPLETED", output: { error } }
    : { ...record, ...(error !== undefined && { error }) },
);

/** Its records have no times. */
export const withoutTimes = inRecords(
  ({ delayTime: _delay, executionTime: _execution, ...record }) => record,
);

/** It forgets a job once its result was read. */
export function resultsOnce(): Departure {
  const read = new Set<string>();
  return async (request, pass) => {
    const { operation, id } = askedIn(request.path);
    if (operation !== "run" && read.has(id)) return nowhere;
    const answer = await pass(request);
    const state = operation === "status" && valueAt(parseJson(answer.body.toString()), "status");
    if (typeof state === "string" && finalStates.includes(state)) read.add(id);
    return answer;
  };
}

/** Its runsync awaits nothing: it answers as run does. What it refuses it refuses as a runsync. */
export const runsyncAtOnce: Departure = async (request, pass) => {
  const { path, body } = request;
  const [, wait = "1000"] = /[?&]wait=([^&]*)/.exec(path) ?? [];
  const isUsual = /^\d{4,6}$/.test(wait) && Number(wait) <= 300_000;
  if (askedIn(path).operation !== "runsync" || !isUsual) return pass(request);
  if (body.length <= runBytesMax) {
    return pass({ ...request, path: path.replace(/\/runsync(\?.*)?$/, "/run") });
  }
  return changed(await pass(request), (text) => ({
    id: valueAt(parseJson(text), "id"),
    status: "IN_QUEUE",
  }));
};

/** It forgets a job that was cancelled. */
export const cancelledGone: Departure = async (request, pass) => {
  const answer = await pass(request);
  const isStatus = askedIn(request.path).operation === "status";
  const state = isStatus && valueAt(parseJson(answer.body.toString()), "status");
  return state === "CANCELLED" ? nowhere : answer;
};

/** Its run does the work while the request waits, for as long as it takes, up to 90 s. */
export const runHeld: Departure = async (request, pass) => {
  let answer = await pass(request);
  const id = valueAt(parseJson(answer.body.toString()), "id");
  if (askedIn(request.path).operation !== "run" || !isSuccess(answer)) return answer;
  const path = request.path.replace(/\/run(\?.*)?$/, `/status/${String(id)}`);
  const read = { ...request, method: "GET", path, body: Buffer.alloc(0) };
  for (let looks = 0; looks < 900; looks += 1) {
    answer = await pass(read);
    const state = valueAt(parseJson(answer.body.toString()), "status");
    if (typeof state !== "string" || finalStates.includes(state)) break;
    await sleep(100);
  }
  return answer;
};

/** What run takes (docs/specification.md#limits). */
const runBytesMax = 10_485_760;

/** It has no queue: it takes no job while another is unfinished. */
export function withoutQueue(key: string): Departure {
  let atWork: string | undefined;
  let isTaking = false;
  return async (request, pass) => {
    const { operation } = askedIn(request.path);
    const { authorization } = request.headers;
    const isKnown = authorization === key || authorization === `Bearer ${key}`;
    if (!isSubmission(operation) || !isKnown) return pass(request);
    const isBusy =
      isTaking || (atWork !== undefined && (await isStillAtWork(atWork, request, pass)));
    if (isBusy || isTaking) return answered(429, { error: "another job is being processed" });
    isTaking = true;
    try {
      const answer = await pass(request);
      const id = valueAt(parseJson(answer.body.toString()), "id");
      if (isSuccess(answer) && typeof id === "string") atWork = id;
      return answer;
    } finally {
      isTaking = false;
    }
  };
}

async function isStillAtWork(id: string, request: StrangeRequest, pass: Pass): Promise<boolean> {
  const path = request.path.replace(/\/(?:run|runsync)(\?.*)?$/, `/status/${id}`);
  const read = await pass({ ...request, method: "GET", path, body: Buffer.alloc(0) });
  const state = valueAt(parseJson(read.body.toString()), "status");
  return isSuccess(read) && typeof state === "string" && !finalStates.includes(state);
}
