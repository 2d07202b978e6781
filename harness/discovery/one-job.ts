import { setTimeout as sleep } from "node:timers/promises";

import type { Answer, Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { givenJobId } from "../evidence/failing.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { submitOperations } from "../jobs/submit.ts";
import { showsUnfinished } from "../record.ts";
import type { Asker } from "./asker.ts";
import { isAnswerTo } from "./shown-by.ts";

/** The id of the cause that the target takes no job while another is unfinished. */
export const oneJobId = "one-job-at-a-time";

/**
 * A worker may be free again so long after its job was cancelled, in milliseconds. A limit of the rate that opened just
 * then is unlikely.
 */
const freeWithinMs = 300;
const askEveryMs = 50;

/** Whether an answer is the one of a target that has no place for another job. */
export function isTurnedAway(answer: Answer | undefined): boolean {
  return answer?.status === 429 || answer?.status === 503;
}

/** A job that is at work, and an input like its own. */
interface JobAtWork {
  readonly jobId: string;
  readonly input: JobInput;
}

/**
 * Learns that a job is refused by 429 or 503 for as long as another is unfinished: there is no queue. The job is cancelled
 * then, since only its end shows why the other was refused.
 */
export async function learnOneJob(asker: Asker, { jobId, input }: JobAtWork): Promise<void> {
  // What is refused is not sent again by itself: it is asked when, and not whether, it is taken.
  const submit = async (client: JobClient): Promise<Exchange> => {
    const { transport } = client.options;
    return client.with({ send: async (request) => transport.send(request) }).run({ input });
  };
  const refused = await asker.ask(submit, isTurnedAway);
  if (!isTurnedAway(refused?.answer)) {
    await cancelMade(asker, refused);
    return;
  }
  const read = await asker.ask(async (client) => client.status(jobId));
  if (refused === undefined || read === undefined || !showsUnfinished(read)) return;
  await asker.ask(async (client) => client.cancel(jobId));
  const untilMs = performance.now() + freeWithinMs;
  let taken = await asker.ask(submit, isTurnedAway);
  while (isTurnedAway(taken?.answer) && performance.now() < untilMs) {
    await sleep(askEveryMs);
    taken = await asker.ask(submit, isTurnedAway);
  }
  await cancelMade(asker, taken);
  if (taken?.answer !== undefined && isSuccess(taken.answer)) learn(asker, [refused, read, taken]);
}

async function cancelMade(asker: Asker, made: Exchange | undefined): Promise<void> {
  const id = made === undefined ? undefined : givenJobId(made);
  if (id !== undefined) await asker.ask(async (client) => client.cancel(id));
}

function learn({ discovery }: Asker, seen: readonly [Exchange, ...Exchange[]]): void {
  const [{ answer }] = seen;
  if (answer === undefined) return;
  const { status } = answer;
  const isSame = isAnswerTo(submitOperations, (other) => other === status);
  discovery.learn({
    id: oneJobId,
    topic: "queue",
    text: `a job is refused while another is unfinished: ${describeAnswer(answer)}`,
    adapted: "one check runs at a time, and what needs two unfinished jobs is not run",
    breaks: ["RUNA-01"],
    expected: "an answer at once, with an id and IN_QUEUE",
    explains: ({ requirement }, evidence) => requirement === "RUNA-01" && isSame(evidence),
    excuses: (_, evidence) => isSame(evidence),
    undecides: (reason) => reason.includes(`answered ${status}`),
    seen,
  });
}
