import { setTimeout as sleep } from "node:timers/promises";
import { finalStates } from "../../harness/record.ts";
import { isSubmission } from "../../openapi/operations.ts";
import type { ForwardedAnswer, ForwardedRequest } from "../fronts/forward.ts";
import {
  answered,
  askedIn,
  changingAnswers,
  isSuccess,
  memberIn,
  nowhere,
  read,
  treating,
} from "./departures.ts";
import type { Departure, Pass } from "./departures.ts";
import { apiKey } from "./kinds.ts";
import type { StrangerKind } from "./kinds.ts";

/** Its runsync holds the answer until the job has ended, whatever the wait. */
export const holdingRunsync: Departure = async (request, pass) =>
  pass({ ...request, path: request.path.replace(/wait=\d+/, "wait=300000") });

/** Kinds that do something else than what is asked, or do not do it. */
export const otherConduct: readonly StrangerKind[] = [
  {
    what: "a runsync that never waits",
    departure: () => runsyncAtOnce,
    causes: ["runsync-never-waits"],
  },
  {
    what: "a run that answers when its job has ended",
    departure: () => treating("run", heldRun),
    causes: ["run-waits"],
  },
  { what: "no queue", departure: () => withoutQueue(apiKey), causes: ["one-job-at-a-time"] },
  {
    what: "a body with each POST",
    departure: () => async (request, pass) => {
      const { method, body, path } = request;
      const isBare = method === "POST" && body.length === 0;
      return isBare && ["cancel", "retry", "purge-queue"].includes(askedIn(path).operation)
        ? answered(400, { error: "body required" })
        : pass(request);
    },
    causes: ["bodies-needed"],
  },
  {
    what: "a cancel that forgets",
    departure: () =>
      changingAnswers((answer, { operation }) =>
        operation === "status" && memberIn(answer, "status") === "CANCELLED" ? nowhere : answer,
      ),
    causes: ["cancelled-jobs-gone"],
  },
  {
    what: "a cancel that fails",
    departure: () => cancelOfKnown(() => answered(500, { error: "internal" })),
    causes: ["cancel-refused"],
  },
  {
    what: "a cancel without effect",
    departure: () => cancelOfKnown((id) => answered(200, { id, status: "CANCELLED" })),
    causes: ["cancel-without-effect"],
  },
  {
    what: "one job for equal inputs",
    departure: jobsByInput,
    causes: ["equal-inputs-share-a-job"],
  },
  { what: "results that are read once", departure: resultsOnce, causes: ["results-read-once"] },
  {
    what: "a retry that fails",
    departure: () =>
      changingAnswers((answer, { operation }) =>
        operation === "retry" && isSuccess(answer) ? answered(500, { error: "internal" }) : answer,
      ),
    causes: ["failing-retry"],
  },
  {
    what: "500 for unknown jobs",
    departure: () => toUnknownJobs(500, { error: "KeyError" }),
    causes: ["unknown-jobs-otherwise"],
  },
  {
    what: "200 for unknown jobs",
    departure: () => toUnknownJobs(200, { id: "", status: "NOT_FOUND" }),
    causes: ["unknown-jobs-otherwise"],
  },
  {
    // It is there for DELETE alone.
    what: "no cancel by POST",
    departure: () =>
      treating("cancel", async () => answered(405, { detail: "Method Not Allowed" })),
    causes: ["missing-cancel"],
  },
  {
    what: "health without a key",
    departure: () =>
      treating("health", async (request, pass) =>
        pass({ ...request, headers: { ...request.headers, authorization: apiKey } }),
      ),
    causes: ["health-without-key"],
  },
  {
    what: "status by POST",
    departure: () =>
      treating("status", async (request, pass) => {
        if (request.method === "GET") return answered(405, { detail: "Method Not Allowed" });
        return request.method === "POST" ? pass({ ...request, method: "GET" }) : nowhere;
      }),
    causes: ["post-status"],
  },
];

/** It answers a submission by the job that an earlier one with the same input made, unless that was cancelled. */
function jobsByInput(): Departure {
  const ids = new Map<string, string>();
  return async (request, pass) => {
    const answer = await pass(request);
    const [, endpoint = ""] = /^(\/v2\/[^/]+)\/run(?:sync)?\b/.exec(request.path) ?? [];
    const id = memberIn(answer, "id");
    if (endpoint === "" || !isSuccess(answer) || typeof id !== "string") return answer;
    const input = endpoint + JSON.stringify(memberIn(request, "input"));
    const earlier = ids.get(input);
    const shown = await read(`${endpoint}/status/${earlier ?? ""}`, request, pass);
    if (isSuccess(shown) && memberIn(shown, "status") !== "CANCELLED") {
      await pass({ ...request, path: `${endpoint}/cancel/${id}`, body: Buffer.alloc(0) });
      return shown;
    }
    ids.set(input, id);
    return answer;
  };
}

/** Its cancel of a job that it knows answers so, and does nothing. */
function cancelOfKnown(answerFor: (id: string) => ForwardedAnswer): Departure {
  return treating("cancel", async (request, pass) => {
    const { id } = askedIn(request.path);
    const { status } = await read(request.path.replace("/cancel/", "/status/"), request, pass);
    return id !== "" && status === 200 ? answerFor(id) : pass(request);
  });
}

/** It answers so about jobs that it does not know. */
function toUnknownJobs(status: number, body: unknown): Departure {
  return changingAnswers((answer, { id }) =>
    answer.status === 404 && id !== "" ? answered(status, body) : answer,
  );
}

/** It forgets a job once its result was read. */
function resultsOnce(): Departure {
  const forgotten = new Set<string>();
  return async (request, pass) => {
    const { operation, id } = askedIn(request.path);
    if (operation !== "run" && forgotten.has(id)) return nowhere;
    const answer = await pass(request);
    if (operation === "status" && hasEnded(answer)) forgotten.add(id);
    return answer;
  };
}

function hasEnded(record: ForwardedAnswer): boolean {
  return finalStates.some((state) => state === memberIn(record, "status"));
}

/** Its runsync awaits nothing: it answers as run does. What it refuses it refuses as a runsync. */
const runsyncAtOnce: Departure = treating("runsync", async (request, pass) => {
  const { path, body } = request;
  const [, wait = "1000"] = /[?&]wait=([^&]*)/.exec(path) ?? [];
  const isUsual = /^\d{4,6}$/.test(wait) && Number(wait) <= 300_000;
  if (!isUsual) return pass(request);
  if (body.length <= runBytesMax) {
    return pass({ ...request, path: path.replace(/\/runsync(\?.*)?$/, "/run") });
  }
  const answer = await pass(request);
  return isSuccess(answer)
    ? answered(answer.status, { id: memberIn(answer, "id"), status: "IN_QUEUE" })
    : answer;
});

/** What run takes (docs/specification.md#limits). */
const runBytesMax = 10_485_760;

/** Its run does the work while the request waits, for as long as it takes, up to 90 s. */
const heldRun: Departure = async (request, pass) => {
  let answer = await pass(request);
  const id = memberIn(answer, "id");
  if (!isSuccess(answer)) return answer;
  const path = request.path.replace(/\/run(\?.*)?$/, `/status/${String(id)}`);
  for (let looks = 0; looks < 900; looks += 1) {
    answer = await read(path, request, pass);
    if (typeof memberIn(answer, "status") !== "string" || hasEnded(answer)) break;
    await sleep(100);
  }
  return answer;
};

/** It has no queue: it takes no job while another is unfinished. */
function withoutQueue(key: string): Departure {
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
      const id = memberIn(answer, "id");
      if (isSuccess(answer) && typeof id === "string") atWork = id;
      return answer;
    } finally {
      isTaking = false;
    }
  };
}

async function isStillAtWork(id: string, request: ForwardedRequest, pass: Pass): Promise<boolean> {
  const path = request.path.replace(/\/(?:run|runsync)(\?.*)?$/, `/status/${id}`);
  const answer = await read(path, request, pass);
  return isSuccess(answer) && typeof memberIn(answer, "status") === "string" && !hasEnded(answer);
}
