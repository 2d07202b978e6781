import { setTimeout as sleep } from "node:timers/promises";

import type { Exchange } from "../../client/exchange.ts";
import { isRefusal } from "../endpoint/send-at-pace.ts";
import { givenJobId } from "../evidence/failing.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { describeAnswer } from "../read.ts";
import { submitOperations } from "../jobs/submit.ts";
import { showsUnfinished } from "../record.ts";
import type { Asker } from "./asker.ts";
import { isAnswerTo } from "./shown-by.ts";

/** The id of the cause that the target takes no job while another is unfinished. */
export const oneJobId = "one-job-at-a-time";

/** A worker may be free again so long after its job was cancelled, in milliseconds. */
const freeWithinMs = 300;
const askEveryMs = 100;
/** A limit of the rate that refuses a submission takes one again after so long, or only after much longer. */
const limitMs = 1000;

/** A job that is at work, and an input like its own. */
interface JobAtWork {
  readonly jobId: string;
  readonly input: JobInput;
}

/**
 * Learns that a job is refused by 429 or 503 for as long as another is unfinished: there is no queue. A limit of the rate
 * refuses jobs, too; but it takes one after a while, and not, twice, as soon as another one is cancelled.
 */
export async function learnOneJob(asker: Asker, { jobId, input }: JobAtWork): Promise<void> {
  // What is refused is not sent again by itself: it is asked when, and not whether, it is taken.
  const submit = async (): Promise<Exchange | undefined> =>
    asker.ask(async (client) => {
      const { transport } = client.options;
      return client.with({ send: async (request) => transport.send(request) }).run({ input });
    }, isRefusal);
  const first = await submit();
  if (!isRefusal(first?.answer)) return cancelMade(asker, first);
  await sleep(limitMs);
  const read = await asker.ask(async (client) => client.status(jobId));
  const refused = await submit();
  if (!isRefusal(refused?.answer)) return cancelMade(asker, refused);
  const taken = showsUnfinished(read) ? await takenAfterCancel(asker, jobId, submit) : undefined;
  const takenId = madeBy(taken);
  if (takenId === undefined) return;
  const beside = await submit();
  if (!isRefusal(beside?.answer)) {
    await cancelMade(asker, beside);
    return cancelMade(asker, taken);
  }
  const takenAgain = await takenAfterCancel(asker, takenId, submit);
  await cancelMade(asker, takenAgain);
  const seen = [refused, read, taken].filter((each) => each !== undefined);
  if (madeBy(takenAgain) !== undefined) learn(asker, seen);
}

/** The submission that is taken once a job is cancelled; undefined where none is soon. */
async function takenAfterCancel(
  asker: Asker,
  jobId: string,
  submit: () => Promise<Exchange | undefined>,
): Promise<Exchange | undefined> {
  await asker.ask(async (client) => client.cancel(jobId));
  const untilMs = performance.now() + freeWithinMs;
  for (;;) {
    const submitted = await submit();
    if (!isRefusal(submitted?.answer)) return submitted;
    if (performance.now() >= untilMs) return undefined;
    await sleep(askEveryMs);
  }
}

function madeBy(submitted: Exchange | undefined): string | undefined {
  return submitted === undefined ? undefined : givenJobId(submitted);
}

async function cancelMade(asker: Asker, submitted: Exchange | undefined): Promise<void> {
  const id = madeBy(submitted);
  if (id !== undefined) await asker.ask(async (client) => client.cancel(id));
}

function learn({ discovery }: Asker, seen: readonly Exchange[]): void {
  const answer = seen[0]?.answer;
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
