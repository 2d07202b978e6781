import { setTimeout as sleep } from "node:timers/promises";

import type { Answer, Exchange } from "../../client/exchange.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { isFinal, recordShownBy } from "../record.ts";
import type { Asker } from "./asker.ts";
import { isAnswerTo } from "./shown-by.ts";
import { isOfLateness, isOfWaitingJobs } from "./slow-operations.ts";

/** A cancel may take effect so long after its answer, in milliseconds. */
const takesEffectWithinMs = 1000;
const lookEveryMs = 100;

/**
 * Learns that a cancel of an unfinished job is refused, or changes nothing. Nothing that a run starts could be ended then,
 * so that it starts only what ends by itself.
 * @param cancelled what was answered to the cancel of a job that was unfinished before
 */
export async function learnCancel(asker: Asker, cancelled: Exchange): Promise<void> {
  const { answer, request } = cancelled;
  const { jobId } = request;
  if (jobId === undefined || answer === undefined || isOfOtherReasons(answer)) return;
  const untilMs = performance.now() + takesEffectWithinMs;
  let read: Exchange | undefined;
  do {
    read = await asker.ask(async (client) => client.status(jobId));
    if (read === undefined || stateIn(read) === undefined) return;
    await sleep(lookEveryMs);
  } while (performance.now() < untilMs);
  // A failure may be one of the moment: a second one is not.
  const again = isSuccess(answer)
    ? cancelled
    : await asker.ask(async (client) => client.cancel(jobId), isServerError);
  if (again?.answer?.status === answer.status) learnVain(asker, cancelled, read);
}

/** Whether an operation may always answer so. */
export function isServerError(answer: Answer | undefined): boolean {
  return answer?.status === 500;
}

/** The state of a job that is shown to be unfinished. */
function stateIn(read: Exchange): string | undefined {
  const record = recordShownBy(read);
  return record === undefined || isFinal(record) ? undefined : record.status;
}

function learnVain({ discovery }: Asker, cancelled: Exchange, read: Exchange): void {
  const { answer } = cancelled;
  if (answer === undefined) return;
  const state = stateIn(read) ?? "";
  const isAccepted = isSuccess(answer);
  const own: RequirementId = state === "IN_QUEUE" ? "CANC-01" : "CANC-02";
  const isShown = isAnswerTo(["cancel"], (status) => status === answer.status);
  const after = `${takesEffectWithinMs / 1000} s later the job is ${state}`;
  discovery.learn({
    id: isAccepted ? "cancel-without-effect" : "cancel-refused",
    topic: "cancel",
    text: isAccepted
      ? `cancel changes nothing: it is accepted, and ${after}`
      : `cancel refuses an unfinished job: ${describeAnswer(answer)}, and ${after}`,
    adapted: "not asked for again",
    breaks: isAccepted ? [own, "CANC-04"] : [own],
    expected: "the job to be CANCELLED",
    excuses: (_, evidence) => isShown(evidence),
    undecides: (reason) => isOfLateness(reason) || isOfWaitingJobs(reason),
    deviations: { lacks: ["cancel"] },
    seen: [cancelled, read],
  });
}

/** Whether an answer is of the key, of a path or method that is not there, or of the moment. */
function isOfOtherReasons({ status }: Answer): boolean {
  return [401, 403, 404, 405, 429, 501, 502, 503, 504].includes(status);
}
