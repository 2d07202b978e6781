import { requireRead, submitJob, retryJob } from "../../harness/jobs/fixtures.ts";
import { runSyncShortly, sendHeldRunsync, submitOperations } from "../../harness/jobs/submit.ts";
import { inputs } from "../../harness/inputs/conformance-jobs.ts";
import { isOver, waitUntilOverWithin } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import { crashNoticedMsMax } from "../../harness/jobs/endings.ts";
import type { Check } from "../../harness/check.ts";
import type { JobInput, Jobs } from "../../harness/inputs/jobs.ts";
import type { CheckContext } from "../../harness/check-context.ts";

/** What raises may quote what it was given. */
const longMessage = `"quoted" \\ 日本 😀\n${"a line of a long trace\n".repeat(500)}`;

/** Inputs whose handler raises an error (docs/test-my-server.md#the-conformance-handler). */
function raising(jobs: Jobs): readonly (readonly [string, JobInput])[] {
  return jobs.eachOf([
    ["fail with a long message of many characters", jobs.failing(longMessage)],
    ["fail with an empty message", jobs.failing("")],
    // Some workers hand an error on as the text of a JSON object.
    ["fail with an object as its message", jobs.failing('{"a":1}')],
    ["fail with an array as its message", jobs.failing("[1]")],
    ["flaky on its first attempt", jobs.failingFirst(1, "v")],
    ["an unknown op", { op: "no-such-op", value: "leaked" }],
    ["no op", { value: "leaked" }],
  ]);
}

const waitMs = 60_000;

/** Checks of handlers that raise and of workers that die (LIFE-04, LIFE-05). */
export const failingChecks: readonly Check[] = [
  // One check for each operation: a target may process the jobs of runsync in a way of their own.
  ...submitOperations.map((by): Check => ({
    name: `states/handler-error-${by}`,
    title: `a ${by} job whose handler raises ends FAILED, with no output`,
    covers: ["LIFE-04"],
    needs: ["failing"],
    run: async (context) => {
      for (const [label, input] of raising(context.jobs)) {
        const exchange =
          by === "run"
            ? await context.api.run({ input })
            : (await runSyncShortly(context, { input })).exchange;
        // A runsync may answer 500 for a failed job, and then gives no id (SYNC-10).
        if (by === "runsync" && exchange.answer?.status === 500) {
          context.expect.status(exchange, 500, `runsync of ${label}`);
          continue;
        }
        const { id } = requireRead(readRecord(exchange), `${by} of ${label} answered`);
        await expectFailed(context, id, `${by} of ${label}`);
      }
    },
  })),
  {
    name: "states/every-failed-attempt",
    title: "each attempt that raises ends the job FAILED, with no output",
    covers: ["LIFE-04"],
    needs: ["failing"],
    run: async (context) => {
      const { id } = await submitJob(context, context.jobs.failingFirst(3, "v"));
      await expectFailed(context, id, "attempt 1");
      for (const attempt of [2, 3]) {
        await retryJob(context, { id });
        await expectFailed(context, id, `attempt ${attempt}`);
      }
    },
  },
  {
    name: "states/crash-of-a-run-job",
    title: "what becomes of a run job whose worker crashes",
    covers: ["LIFE-05"],
    realTimeMs: 90_000,
    run: async (context) => {
      const { id } = await submitJob(context, inputs.crash());
      await readCrash(context, id, "run");
    },
  },
  {
    name: "states/crash-of-a-runsync-job",
    title: "what becomes of a runsync job whose worker crashes",
    covers: ["LIFE-05"],
    realTimeMs: waitMs + 90_000,
    run: async (context) => {
      const { time, expect } = context;
      const held = await sendHeldRunsync(context, { input: inputs.crash() }, waitMs);
      if (!held.isAnswered()) await time.advance(waitMs + 1);
      const exchange = await held.answer;
      if (exchange.answer?.status === 500) {
        expect.reading("runsync answers 500", "runsync");
        return;
      }
      const { id } = requireRead(
        readRecord(exchange),
        "could not submit the job that crashes its worker: runsync answered",
      );
      await readCrash(context, id, "runsync");
    },
  },
];

async function expectFailed(context: CheckContext, id: string, at: string): Promise<void> {
  const exchange = await waitUntilOverWithin(context, id);
  const state = stateOf(exchange);
  // Another requirement says that a worker takes the job at all (LIFE-03).
  if (state === "IN_QUEUE") throw new Inconclusive(`${at}: the job is still in the queue`);
  context.expect.equal(state, "FAILED", at);
  const read = readRecord(exchange);
  if (read.ok) context.expect.equal(read.body["output"] ?? null, null, `${at}, output`);
}

async function readCrash(context: CheckContext, id: string, at: string): Promise<void> {
  const { api, time, expect } = context;
  let wasInProgress = false;
  let wentBack = false;
  const look = async (): ReturnType<typeof api.status> => {
    const exchange = await api.status(id);
    const state = stateOf(exchange);
    if (state === "IN_QUEUE" && wasInProgress) wentBack = true;
    wasInProgress ||= state === "IN_PROGRESS";
    return exchange;
  };
  const withinMs = time.choose(crashNoticedMsMax);
  const exchange = await time.until(look, (seen) => isOver(seen) || wentBack, withinMs);
  const verb = isOver(exchange) ? "ends" : "stays";
  const ofOne = `the job ${verb} ${stateOf(exchange)}`;
  expect.reading(wentBack ? "the job is processed again by another worker" : ofOne, at);
}
