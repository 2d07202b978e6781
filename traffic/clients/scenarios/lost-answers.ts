import {
  asksStatusAgain,
  both,
  delivers,
  deliversOrFails,
  fateOfUnanswered,
  givesUp,
  submitsAtMost,
} from "../expectations.ts";
import type { ClientScenario } from "../scenario.ts";
import { first, notFound } from "../troubles.ts";

/** What a client makes of answers that are late, or do not come. */
export const ofLostAnswers: readonly ClientScenario[] = [
  {
    name: "job-late",
    about: "The first read of a job that was just accepted answers 404.",
    task: "run",
    trouble: first("status", notFound, 1),
    timeoutMs: 30_000,
    decides: { "CLNT-15": both(asksStatusAgain, submitsAtMost(1)) },
  },
  {
    name: "run-answer-lost",
    about:
      "The job is accepted, but the connection closes before the answer to run comes, each time.",
    task: "run",
    trouble: first("run", { loses: "answer" }),
    decides: { "CLNT-41": fateOfUnanswered },
  },
  {
    name: "status-answer-lost",
    about: "The connection closes once before the answer to status comes.",
    task: "run",
    trouble: first("status", { loses: "answer" }, 1),
    decides: { "CLNT-40": both(submitsAtMost(1), delivers) },
  },
  {
    name: "status-answer-half",
    about: "The connection closes once in the middle of an answer to status.",
    task: "run",
    trouble: first("status", { loses: "half" }, 1),
    decides: { "CLNT-40": both(submitsAtMost(1), delivers) },
  },
  {
    name: "status-silent",
    about: "status is never answered.",
    task: "run",
    trouble: first("status", { silent: true }),
    timeoutMs: 15_000,
    decides: { "CLNT-42": givesUp, "CLNT-16": submitsAtMost(1) },
  },
  {
    name: "run-silent",
    about: "run is never answered.",
    task: "run",
    trouble: first("run", { silent: true }),
    timeoutMs: 15_000,
    decides: { "CLNT-42": givesUp },
  },
  {
    name: "run-slow",
    about: "The answer to run takes 10 s.",
    task: "run",
    trouble: first("run", { delayMs: 10_000 }, 1),
    timeoutMs: 60_000,
    decides: { "CLNT-43": delivers },
  },
  {
    name: "status-slow",
    about: "The first answer to status takes 10 s.",
    task: "run",
    trouble: first("status", { delayMs: 10_000 }, 1),
    timeoutMs: 60_000,
    decides: { "CLNT-43": delivers },
  },
  {
    name: "redirected",
    about: "run is redirected to another host name.",
    task: "run",
    shows: ["CLNT-02"],
    trouble:
      () =>
      (request, { elsewhere }) => {
        if (request.operation !== "run" || !request.isAtHome) return undefined;
        const location = `${elsewhere}/v2/${request.endpointId}/run`;
        return { answer: { status: 307, headers: { location }, body: {} } };
      },
    decides: { "CLNT-20": deliversOrFails },
  },
];
