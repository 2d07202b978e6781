import { durationText } from "../../reports/words.ts";
import { BookedRun } from "../open-loop/booked-run.ts";
import { firstEnd, isSettled } from "../open-loop/job-book.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { OpenLoopOptions, OpenLoopScenario } from "./scenario.ts";

const silenceMsDefault = 30_000;
const warmJobs = 5;
const longestMs = 300_000;

/** A figure: how long a worker may take to start is nobody's promise but the owner's. */
export const coldStartScenario: OpenLoopScenario = {
  name: "cold-start",
  entry: "load/cold-start",
  question: "How much longer does the first job after a silence take than the next ones?",
  cost: ({ durationMs = silenceMsDefault }) => ({
    requests: 400,
    jobs: 2 * warmJobs + 1,
    durationMs: durationMs + 30_000,
    peakPerSecond: 20,
    inFlightMax: 1,
  }),
  run: async (options) => [await measured(options)],
};

async function measured(options: OpenLoopOptions): Promise<JudgedLoad> {
  const { durationMs = silenceMsDefault } = options;
  const run = await BookedRun.open<"cold" | "warm">({
    ...options,
    endpoint: { scaling: { min: 0, max: 1 } },
  });
  try {
    const one = async (role: "cold" | "warm"): Promise<number | undefined> => {
      const job = await run.first.submit("run", { role, input: run.jobs.quick(role) });
      await run.readUntil([job], isSettled, { longestMs, everyMs: 50 });
      const end = firstEnd(job);
      return end && end.atMs - job.sentMs;
    };
    await one("warm");
    await run.pause(durationMs);
    const cold = await one("cold");
    const warm: number[] = [];
    for (let at = 0; at < warmJobs; at += 1) {
      const ms = await one("warm");
      if (ms !== undefined) warm.push(ms);
    }
    return findingOf(cold, warm, durationMs);
  } finally {
    await run.close();
  }
}

function findingOf(
  cold: number | undefined,
  warm: readonly number[],
  silenceMs: number,
): JudgedLoad {
  const head = headOf(coldStartScenario);
  const usual = warm.toSorted((one, other) => one - other)[Math.floor(warm.length / 2)];
  if (cold === undefined || usual === undefined) {
    return { ...head, figures: {}, ...notAnswered("inconclusive", "a job was not seen to end") };
  }
  const figures = {
    "silence ms": silenceMs,
    "first job ms": Math.round(cold),
    "next jobs ms, median": Math.round(usual),
    "cold start ms": Math.max(0, Math.round(cold - usual)),
  };
  return {
    ...head,
    figures,
    verdict: "pass",
    answer: `After ${durationText(silenceMs)} of silence the first job took ${durationText(Math.round(cold))}, the next ones ${durationText(Math.round(usual))}.`,
  };
}
