import { Undecided } from "./check.ts";
import type { LoadCheck } from "./check.ts";
import type { Findings } from "./findings.ts";
import { demandAnswers } from "./rate.ts";
import type { Stand } from "./stand.ts";

const flood = 20;

/** Refused submissions create no job: the counts of health grow by what was accepted. */
async function refusedSubmissions(stand: Stand, findings: Findings): Promise<void> {
  for (const operation of ["run", "runsync"] as const) {
    const limit = operation === "run" ? 1_000 : 2_000;
    const endpoint = await stand.endpoint({ workers: 1 });
    const before = totalOf(await endpoint.health());
    const sent = await endpoint.send(operation, limit + flood);
    demandAnswers(sent);
    const after = totalOf(await endpoint.health());
    if (sent.refused === 0) continue;
    const at = `${operation}, jobs after ${String(sent.refused)} refused requests`;
    findings.equal(
      at,
      `${String(sent.accepted)} more`,
      `${String(after - before)} more`,
      sent.samples,
    );
  }
}

interface Counts {
  readonly jobs: {
    readonly completed: number;
    readonly failed: number;
    readonly inProgress: number;
    readonly inQueue: number;
  };
}

function totalOf({ jobs }: Counts): number {
  return jobs.completed + jobs.failed + jobs.inProgress + jobs.inQueue;
}

/** Jobs that a refused cancel or purge names stay as they are. */
async function refusedCancels(stand: Stand, findings: Findings): Promise<void> {
  const endpoint = await stand.endpoint({ workers: 0 });
  await endpoint.stock(100);
  const spared = await endpoint.submit(5);
  const used = await endpoint.send("cancel", 100);
  const refused = await endpoint.cancel(spared);
  demandAnswers(used, refused);
  for (const [at, jobId] of spared.entries()) {
    if (refused.shots[at]?.answer?.status !== 429) continue;
    const status = await endpoint.statusOf(jobId);
    findings.equal("a job whose cancel was refused", "IN_QUEUE", status, refused.samples);
  }
}

async function refusedPurges(stand: Stand, findings: Findings): Promise<void> {
  const endpoint = await stand.endpoint({ workers: 0 });
  const used = await endpoint.send("purge-queue", 2);
  const [jobId = ""] = await endpoint.submit(3);
  const refused = await endpoint.send("purge-queue", 1);
  demandAnswers(used, refused);
  if (refused.refused === 0) return;
  const status = await endpoint.statusOf(jobId);
  findings.equal("a waiting job after a refused purge", "IN_QUEUE", status, refused.samples);
}

export const effectChecks: readonly LoadCheck[] = [
  {
    name: "rate/refusals-without-effect",
    title: "What was answered 429 created, cancelled and purged nothing",
    covers: "RATE-13",
    needs: ["load", "endpoints", "workers"],
    realTimeMs: 0,
    requests: 3_200,
    jobs: 3_150,
    run: async (stand, findings) => {
      await refusedSubmissions(stand, findings);
      await refusedCancels(stand, findings);
      await refusedPurges(stand, findings);
      if (findings.comparisons === 0) throw new Undecided("no request was refused");
    },
  },
];
