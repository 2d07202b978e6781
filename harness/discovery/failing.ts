import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { askedUnder } from "../dialects/configured-dialect.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { unknownJob } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo } from "./shown-by.ts";

/** Of so many jobs, and none with which it succeeded: it is how the operation answers, and no matter of one job. */
const jobsMin = 3;

/** Operations of a job without which the rest of the API can be judged. */
const dispensable: ReadonlySet<OperationName> = new Set(["retry", "stream"]);

/** Learns that an operation fails by 500 with every job: what needs it is not tried again and again. */
export function learnFailing(discovery: Discovery, exchange: Exchange): void {
  const { operation, answer, request } = exchange;
  const { jobId = unknownJob } = request;
  if (!dispensable.has(operation) || answer === undefined || jobId === unknownJob) return;
  const { attempts } = discovery;
  const seen = attempts.get(operation) ?? { succeeded: false, failed: new Map() };
  attempts.set(operation, seen);
  seen.succeeded ||= isSuccess(answer);
  if (seen.succeeded || answer.status !== 500) return;
  if (!seen.failed.has(jobId)) seen.failed.set(jobId, exchange);
  if (seen.failed.size < jobsMin) return;
  const isSame = isAnswerTo([operation], (status) => status === 500);
  discovery.learn({
    id: `failing-${operation}`,
    topic: "failing",
    text: `${operation} fails with every job: ${describeAnswer(answer)}`,
    adapted: "not asked for again",
    breaks: [askedUnder[operation]],
    expected: `${operation} to be carried out`,
    excuses: (_, evidence) => isSame(evidence),
    excusesReason: (reason) => reason.includes(`${operation} answered 500`),
    deviations: { lacks: [operation] },
    seen: [...seen.failed.values()],
  });
}
