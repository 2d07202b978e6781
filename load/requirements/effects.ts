import { setTimeout as pause } from "node:timers/promises";

import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { LoadFindings } from "./findings.ts";
import { demandAnswers } from "./answers.ts";
import type { LoadSession } from "./load-session.ts";
import { tierOf, windowMs } from "../../openapi/index.ts";
import { isRefused } from "./tally.ts";
import type { Tally } from "./tally.ts";

const flood = 20;
/** How long the counts of health may take to follow. */
const followMsMax = 3_000;

interface Counts {
  readonly jobs: {
    readonly completed: number;
    readonly failed: number;
    readonly inProgress: number;
    readonly inQueue: number;
  };
}

/** How many jobs there are or have been; counters need not start at 0. */
function totalOf({ jobs }: Counts): number {
  return jobs.completed + jobs.failed + jobs.inProgress + jobs.inQueue;
}

/** The total once it is the expected one, or once it has had time enough to become it. */
async function totalAfter(endpoint: LoadEndpoint, expected: number): Promise<number> {
  const giveUpMs = performance.now() + (endpoint.access.isVirtual ? 0 : followMsMax);
  for (;;) {
    const total = totalOf(await endpoint.health());
    if (total === expected || performance.now() >= giveUpMs) return total;
    await pause(20);
  }
}

/** Refused submissions create no job: the counts of health grow by what was accepted. */
async function refusedSubmissions(session: LoadSession, findings: LoadFindings): Promise<void> {
  for (const operation of ["run", "runsync"] as const) {
    const limit = tierOf(operation).limit;
    const endpoint = await session.endpoint({ workers: 1 });
    await endpoint.rest(operation);
    const before = totalOf(await endpoint.health());
    const sent = await endpoint.send(operation, limit + flood);
    demandAnswers(sent);
    const after = await totalAfter(endpoint, before + sent.accepted);
    if (sent.refused === 0) continue;
    const at = `${operation}, jobs after ${String(sent.refused)} refused requests`;
    const got = `${String(after - before)} more`;
    findings.equal(at, `${String(sent.accepted)} more`, got, sent.samples);
    await idsInRefusals(endpoint, sent, findings);
  }
}

const idsMax = 3;

/** An id in the body of a refusal may be that of an error or of a trace, but not that of a job. */
async function idsInRefusals(
  endpoint: LoadEndpoint,
  { shots, samples }: Tally,
  findings: LoadFindings,
): Promise<void> {
  const ids = new Set(
    shots.filter((shot) => isRefused(shot)).flatMap(({ answer }) => idIn(answer?.body ?? "")),
  );
  for (const id of [...ids].slice(0, idsMax)) {
    const status = await endpoint.statusOf(id);
    findings.equal("the id in the body of a 429, as a job", "no record", status, samples);
  }
}

function idIn(body: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("id" in value)) return [];
    return typeof value.id === "string" && value.id !== "" ? [value.id] : [];
  } catch {
    return [];
  }
}

/** Whether jobs can be kept from ending: where nobody works, or where they sleep. */
function keepsJobs(session: LoadSession): boolean {
  return session.offers("handler") || session.offers("workers");
}

/** Jobs that a refused cancel names stay as they are. */
async function refusedCancels(session: LoadSession, findings: LoadFindings): Promise<void> {
  const { limit } = tierOf("cancel");
  const endpoint = await session.endpoint({ workers: 0 });
  await endpoint.rest("run");
  await endpoint.stock(limit);
  const spared = await endpoint.submit(5);
  await endpoint.rest("cancel");
  const used = await endpoint.send("cancel", limit);
  const refused = await endpoint.cancel(spared);
  demandAnswers(used, refused);
  for (const [at, jobId] of spared.entries()) {
    const shot = refused.shots[at];
    if (shot === undefined || !isRefused(shot)) continue;
    const status = await endpoint.statusOf(jobId);
    const isLeft = status === "IN_QUEUE" || status === "IN_PROGRESS";
    const got = isLeft ? "waiting or at work" : status;
    findings.equal("a job whose cancel was refused", "waiting or at work", got, refused.samples);
  }
}

/** Jobs that wait when a purge is refused go on waiting. */
async function refusedPurges(session: LoadSession, findings: LoadFindings): Promise<void> {
  const endpoint = await session.endpoint({ workers: 0 });
  const { workers } = await endpoint.health();
  await endpoint.rest("run", "purge-queue");
  const used = await endpoint.send("purge-queue", tierOf("purge-queue").limit);
  // More than there are workers, so that some of them wait.
  const jobIds = await endpoint.submit(Math.min(100, workers.idle + workers.running) + 3);
  const waiting = await waitingOf(endpoint, jobIds);
  const refused = await endpoint.send("purge-queue", 1);
  demandAnswers(used, refused);
  if (refused.refused === 0) return;
  for (const jobId of waiting.slice(0, 5)) {
    const status = await endpoint.statusOf(jobId);
    const got = status === "IN_PROGRESS" ? "IN_QUEUE" : status;
    findings.equal("a waiting job after a refused purge", "IN_QUEUE", got, refused.samples);
  }
}

async function waitingOf(
  endpoint: LoadEndpoint,
  jobIds: readonly string[],
): Promise<readonly string[]> {
  const waiting: string[] = [];
  for (const jobId of jobIds) {
    if ((await endpoint.statusOf(jobId)) === "IN_QUEUE") waiting.push(jobId);
  }
  return waiting;
}

export const effectChecks: readonly LoadCheck[] = [
  {
    name: "rate/refusals-without-effect",
    title: "What was answered 429 created, cancelled and purged nothing",
    covers: ["RATE-13"],
    needs: ["load"],
    realTimeMs: 6 * 2 * windowMs,
    requests: 3_400,
    jobs: 3_150,
    run: async (session, findings) => {
      // The low tiers first: what fails there need not wait for the high ones.
      if (keepsJobs(session)) {
        await refusedPurges(session, findings);
        await session.tidy();
        await refusedCancels(session, findings);
        await session.tidy();
      }
      await refusedSubmissions(session, findings);
      if (findings.comparisons === 0) throw new Inconclusive("no request was refused");
    },
  },
];
