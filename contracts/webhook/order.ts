import { setTimeout as sleep } from "node:timers/promises";

import { Inconclusive } from "../../harness/outcome.ts";
import { isOver } from "../../harness/jobs/job-state.ts";
import { readRecord, stateOf } from "../../harness/record.ts";
import { retryJob, waitForEnd } from "../../harness/jobs/fixtures.ts";
import { submitOperationsOf } from "../../harness/jobs/submit.ts";
import type { Check } from "../../harness/check.ts";
import type { CheckContext } from "../../harness/check-context.ts";
import type { Hook, HookAttempt } from "../../harness/webhooks/hook.ts";
import { difference, readCounts } from "../health/counts.ts";
import type { HealthCounts } from "../health/counts.ts";
import { runToEndWith, callsOf, recordIn } from "./calls.ts";

/** How often something is read during a call: on a real clock it may take a moment until it shows the end. */
const looksMax = { virtual: 1, real: 20 };
const lookEveryMs = 100;

/** Checks that a webhook tells nothing that status and health do not show yet (HOOK-08, HLTH-02, HLTH-03). */
export const orderChecks: readonly Check[] = [
  {
    name: "webhook/status-shows-the-end-first",
    title:
      "while a webhook waits for its answer status shows the end that it tells of, with its output",
    covers: ["HOOK-08", "STAT-02"],
    needs: ["quick", "webhook"],
    realTimeMs: 8000,
    exclusive: true,
    run: async (context) => {
      const { jobs, offers } = context;
      let looks = 0;
      for (const by of submitOperationsOf(context)) {
        const failing = offers("failing") ? [jobs.failingFirst(1, by)] : [];
        for (const input of [jobs.quick(by), ...failing]) {
          const hook = (await context.receiver()).hook();
          const look = lookMeanwhile(context, hook);
          const job = await runToEndWith(context, hook, { input, by });
          // A call of the failure that comes later is not compared: from here on status shows the retried job.
          look.isForFailed = false;
          if (job.record.status === "FAILED") await retryJob(context, job);
          await waitForEnd(context, job);
          await callsOf(context, hook, 1);
          await Promise.all(look.pending);
          looks += look.shown.length;
          for (const { told, seen, hasOutput } of look.shown) {
            const at = `during the call of a job of ${by} that is ${told}`;
            context.expect.of("HOOK-08").equal(seen, told, `status ${at}`);
            const isCompleted = seen === "COMPLETED";
            context.expect.of("STAT-02").equal(hasOutput, isCompleted, `output present ${at}`);
          }
        }
      }
      if (looks === 0) throw new Inconclusive("status could not be read during any call");
    },
  },
  {
    name: "webhook/health-counts-the-end-first",
    title:
      "while a webhook waits for its answer health counts its job as completed, and no longer as at work",
    covers: ["HLTH-02", "HLTH-03"],
    needs: ["quick", "webhook"],
    realTimeMs: 4000,
    exclusive: true,
    run: async (context) => {
      const { time, jobs, expect } = context;
      const base = await readCounts(context);
      const isCounted = ({ completed, inProgress }: HealthCounts): boolean =>
        completed === base.completed + 1 && inProgress === base.inProgress;
      const hook = (await context.receiver()).hook();
      let look: Promise<HealthCounts> | undefined;
      hook.meanwhile = async () => {
        look ??= lookUntil(time, async () => readCounts(context), isCounted);
        await look;
      };
      await runToEndWith(context, hook, { input: jobs.quick(1) });
      await callsOf(context, hook, 1);
      if (look === undefined)
        throw new Inconclusive("no call came during which health could be read");
      const { completed, inProgress } = difference(await look, base);
      expect.of("HLTH-02").equal(inProgress, 0, "growth of inProgress during the call");
      expect.of("HLTH-03").equal(completed, 1, "growth of completed during the call");
    },
  },
];

/** Reads until what was read is accepted, as often as the clock allows; returns what was read last. */
async function lookUntil<Seen>(
  time: CheckContext["time"],
  read: () => Promise<Seen>,
  accept: (seen: Seen) => boolean,
): Promise<Seen> {
  let seen = await read();
  for (let count = 1; count < time.choose(looksMax) && !accept(seen); count += 1) {
    await sleep(lookEveryMs);
    seen = await read();
  }
  return seen;
}

interface Shown {
  /** The state that the call brought. */
  readonly told: string;
  /** The state that status showed meanwhile, and whether there was an output. */
  readonly seen: string;
  readonly hasOutput: boolean;
}

interface Look {
  readonly shown: Shown[];
  /** The reads that have begun. */
  readonly pending: Promise<void>[];
  /** Whether calls that report a failure are compared. */
  isForFailed: boolean;
}

/** Reads status during each call, before it is answered. */
function lookMeanwhile({ api, time }: CheckContext, hook: Hook): Look {
  const look: Look = { shown: [], pending: [], isForFailed: true };
  const readDuring = async (attempt: HookAttempt): Promise<void> => {
    const { id, status } = recordIn(attempt) ?? {};
    if (typeof id !== "string" || typeof status !== "string") return;
    const exchange = await lookUntil(time, async () => api.status(id), isOver);
    if (status === "FAILED" && !look.isForFailed) return;
    const record = readRecord(exchange);
    const hasOutput = record.ok && (record.body["output"] ?? null) !== null;
    look.shown.push({ told: status, seen: stateOf(exchange), hasOutput });
  };
  hook.meanwhile = async (attempt) => {
    const read = readDuring(attempt);
    // A read that fails shows nothing.
    look.pending.push(read.catch(() => undefined));
    await read;
  };
  return look;
}
