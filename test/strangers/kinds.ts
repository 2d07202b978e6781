import { setTimeout as sleep } from "node:timers/promises";

import { parseJson } from "../../client/parse-json.ts";
import { isSubmission, operations } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
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
import type { Departure } from "./departures.ts";

/** The key of the endpoint of every stranger. */
export const apiKey = "key-of-the-endpoint";

/** One way in which a server departs, and what a run learns of it. */
export interface StrangerKind {
  /** In the order in which they are put before the server, the outermost first. */
  readonly what: string;
  readonly departure: () => Departure;
  readonly causes: readonly string[];
  /** A kind that cannot be had together with it. */
  readonly without?: string;
  /** How long an answer is waited for, in milliseconds; absent: as usual. */
  readonly timeoutMs?: number;
  /** Whether it is only learned from jobs. */
  readonly needsJobs?: boolean;
}

export const kinds: readonly StrangerKind[] = [
  {
    // Its paths begin with the endpoint. Has to be the first of several.
    what: "no /v2",
    departure: () => async (request, pass) => {
      const { path } = request;
      return path.startsWith("/v2/") ? nowhere : pass({ ...request, path: `/v2${path}` });
    },
    causes: ["path-without-v2"],
  },
  {
    what: "no key",
    departure: () => async (request, pass) =>
      pass({ ...request, headers: { ...request.headers, authorization: apiKey } }),
    causes: ["key-not-asked"],
    without: "Bearer alone",
  },
  {
    what: "Bearer alone",
    departure: () => async (request, pass) => {
      const { authorization } = request.headers;
      const isBearer = typeof authorization === "string" && authorization.startsWith("Bearer ");
      return isBearer ? pass(request) : answered(401, { detail: "Not authenticated" });
    },
    causes: ["key-bearer-only"],
  },
  {
    // It refuses a bad submission as its framework does.
    what: "422",
    departure: () =>
      changingAnswers((answer, { operation }) =>
        isSubmission(operation) && answer.status === 400
          ? answered(422, { detail: [{ msg: "Field required" }] })
          : answer,
      ),
    causes: ["refusals-422"],
  },
  {
    what: "no stream, retry and purge",
    departure: () => lacking("stream", "retry", "purge-queue"),
    causes: ["missing-stream", "missing-retry", "missing-purge-queue"],
  },
  {
    what: "no health",
    departure: () => lacking("health"),
    causes: ["missing-health"],
    without: "another health",
  },
  {
    what: "another health",
    departure: () =>
      changingAnswers((answer, { operation }) =>
        operation === "health" && answer.status === 200 ? answered(200, { status: "ok" }) : answer,
      ),
    causes: ["health-shape"],
  },
  {
    what: "the handler looks at the input first",
    departure: () => inputFirst,
    causes: ["input-refused"],
  },
  {
    what: "no webhooks",
    departure: () => withoutWebhooks,
    causes: ["webhooks-never-arrive"],
    needsJobs: true,
  },
  {
    what: "slow cancel",
    departure: () =>
      treating("cancel", async (request, pass) => {
        await sleep(1500);
        return pass(request);
      }),
    causes: ["slow-cancel"],
  },
  { what: "late ids", departure: () => lateIds(1000), causes: ["ids-late"], needsJobs: true },
];

/** Kinds beside which little else is decided. */
export const kindsAlone: readonly StrangerKind[] = [
  {
    what: "a cancel that blocks it",
    departure: () => blockingCancel(12_000),
    causes: ["blocking-cancel"],
  },
  {
    what: "a retry that never answers",
    departure: () => treating("retry", async () => new Promise(() => undefined)),
    causes: ["silent-retry"],
    timeoutMs: 3000,
  },
  { what: "workers that die", departure: () => dyingWorkers(30), causes: ["nothing-moves"] },
];

/** It has none of these operations, and says so as of any path at which nothing is. */
function lacking(...names: readonly OperationName[]): Departure {
  const there = operations.map(({ name }) => name).filter((name) => !names.includes(name));
  return async (request, pass) => {
    const isThere = there.some((name) => name === askedIn(request.path).operation);
    return isThere ? pass(request) : nowhere;
  };
}

/** Its handler looks at the input of a submission with the right key before anything else is looked at. */
const inputFirst: Departure = async (request, pass) => {
  if (!isSubmission(askedIn(request.path).operation)) return pass(request);
  const health = request.path.replace(/\/run(sync)?\b.*$/, "/health");
  const isKeyRefused = (await read(health, request, pass)).status === 401;
  return isKeyRefused || memberIn(request, "input.prompt") !== undefined
    ? pass(request)
    : answered(400, { error: "input.prompt is required" });
};

/** It knows no webhooks. */
const withoutWebhooks: Departure = async (request, pass) => {
  const { operation } = askedIn(request.path);
  const body = isSubmission(operation) ? parseJson(request.body.toString()) : undefined;
  if (typeof body !== "object" || body === null || !("webhook" in body)) return pass(request);
  return pass({ ...request, body: Buffer.from(JSON.stringify({ ...body, webhook: undefined })) });
};

/** While it cancels a job, for so long, it answers nothing. */
function blockingCancel(ms: number): Departure {
  let freeAtMs = 0;
  return async (request, pass) => {
    if (askedIn(request.path).operation === "cancel") freeAtMs = performance.now() + ms;
    const waitMs = freeAtMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    return pass(request);
  };
}

/** Its workers die of the n-th job: that one and all later ones stay in the queue, and health shows nothing of it. */
function dyingWorkers(number: number): Departure {
  const stuck = new Set<string>();
  let accepted = 0;
  return async (request, pass) => {
    const { operation, id } = askedIn(request.path);
    const answer = await pass(request);
    if (answer.status !== 200) return answer;
    if (operation === "status" && stuck.has(id)) return answered(200, { id, status: "IN_QUEUE" });
    if (!isSubmission(operation)) return answer;
    accepted += 1;
    const given = memberIn(answer, "id");
    if (accepted < number || typeof given !== "string") return answer;
    stuck.add(given);
    return answered(200, { id: given, status: "IN_QUEUE" });
  };
}

/** A job can be read so long after it was accepted. */
function lateIds(ms: number): Departure {
  const readableAtMs = new Map<string, number>();
  return async (request, pass) => {
    const { operation, id } = askedIn(request.path);
    if (performance.now() < (readableAtMs.get(id) ?? 0)) {
      return answered(404, { error: "no such job" });
    }
    const answer = await pass(request);
    const given = isSubmission(operation) && isSuccess(answer) && memberIn(answer, "id");
    if (typeof given === "string") readableAtMs.set(given, performance.now() + ms);
    return answer;
  };
}
