import {
  both,
  deliversOrFails,
  fateOfRefused,
  givesUp,
  noLoop,
  notRepeated,
  submitsAtMost,
  tellsFailure,
} from "../expectations.ts";
import type { ClientScenario } from "../scenario.ts";
import { first, notFound, refusal, serverError, tooMany } from "../troubles.ts";
import { words } from "./jobs-of-scenarios.ts";

const refused: readonly ClientScenario[] = [
  {
    name: "run-refused",
    about: "run answers 429 five times, then accepts.",
    task: "run",
    trouble: first("run", tooMany, 5),
    shows: ["CLNT-10"],
    timeoutMs: 60_000,
    words: words.tooMany,
    decides: { "CLNT-12": fateOfRefused },
  },
  {
    name: "run-retry-after",
    about: "run answers 429 with Retry-After: 2 once, then accepts.",
    task: "run",
    trouble: first("run", refusal(429, "Too Many Requests", { "retry-after": "2" }), 1),
    timeoutMs: 30_000,
    words: words.tooMany,
    shows: ["CLNT-11"],
    decides: { "CLNT-12": fateOfRefused },
  },
  {
    name: "run-refused-for-good",
    about: "run answers 429 always.",
    task: "run",
    trouble: first("run", tooMany),
    timeoutMs: 20_000,
    words: [...words.tooMany, /time.?out/i, /g[ai]v(?:e|en|ing) up/i],
    decides: { "CLNT-17": both(submitsAtMost(100), tellsFailure) },
  },
  {
    name: "status-refused",
    about: "status answers 429 twice, then the record.",
    task: "run",
    trouble: first("status", tooMany, 2),
    timeoutMs: 30_000,
    decides: { "CLNT-16": submitsAtMost(1) },
  },
  {
    name: "bad-request",
    about: "run answers 400.",
    task: "run",
    trouble: first("run", refusal(400, "Bad Request")),
    words: words.badRequest,
    decides: { "CLNT-13": both(notRepeated(400), tellsFailure) },
  },
  {
    name: "unauthorized",
    about: "Every operation answers 401.",
    task: "run",
    trouble: () => () => refusal(401, "Unauthorized"),
    shows: ["CLNT-29"],
    words: words.unauthorized,
    decides: { "CLNT-13": both(notRepeated(401), tellsFailure) },
  },
  {
    name: "no-endpoint",
    about: "run answers 404: there is no such endpoint.",
    task: "run",
    trouble: first("run", notFound),
    words: words.notFound,
    decides: { "CLNT-13": both(notRepeated(404), tellsFailure) },
  },
  {
    name: "run-error",
    about: "run answers 500 always.",
    task: "run",
    trouble: first("run", serverError),
    words: words.serverError,
    decides: { "CLNT-14": both(noLoop(500), tellsFailure) },
  },
  {
    name: "status-error",
    about: "status answers 500 always.",
    task: "run",
    trouble: first("status", serverError),
    words: words.serverError,
    decides: { "CLNT-14": both(noLoop(500), givesUp), "CLNT-16": submitsAtMost(1) },
  },
  {
    name: "status-error-once",
    about: "status answers 500 once, then the record.",
    task: "run",
    trouble: first("status", serverError, 1),
    decides: { "CLNT-14": deliversOrFails, "CLNT-16": submitsAtMost(1) },
  },
];

/** What a client makes of refusals. Some clients try again without TLS alone, so each runs that way as well. */
export const ofRefusals = refused.map((scenario): ClientScenario =>
  Object.assign({}, scenario, { isOfRefusals: true as const }),
);
