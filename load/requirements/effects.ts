import { parseJson } from "../../client/parse-json.ts";
import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers, unlessInconclusive } from "./answers.ts";
import { exhaustLimit, isTraced } from "./exhaustion.ts";
import { noCost, sumOf } from "../sent-load.ts";
import type { LoadCost } from "../sent-load.ts";
import { holdInFlight } from "./hold-in-flight.ts";
import { canJudgeSlotsAfterRefusals } from "./slots-after-refusals.ts";
import { countNewJobs, jobsInWords } from "./job-count.ts";
import type { CreatedJobs } from "./job-count.ts";
import type { LoadSession } from "./load-session.ts";
import { tierOf, windowMs } from "../../openapi/operations.ts";
import type { Tier } from "../../openapi/operations.ts";
import { isRefused, joined } from "./tally.ts";
import type { Tally } from "./tally.ts";

const flood = 20;
const triesAtTheCap = 5;

/** A flood of submissions and the jobs that it made. */
interface Flood extends CreatedJobs {
  readonly endpoint: LoadEndpoint;
  readonly sent: readonly Tally[];
}

/** Refused submissions create no job: the counts of health grow by what was accepted. */
async function refusedSubmissions(session: LoadSession, findings: LoadFindings): Promise<void> {
  for (const operation of ["run", "runsync"] as const) {
    const tier = tierOf(operation);
    const { endpoint, sent, ...created } =
      (await floodOfTrace(session, tier)) ?? (await floodOf(session, tier));
    requireAnswers(...sent);
    const { refused, samples } = joined(sent);
    if (refused === 0) continue;
    const at = `${operation}, jobs after ${refused} refused requests`;
    const { expected, got } = jobsInWords(created);
    findings.equal(at, expected, got, samples);
    for (const each of sent) await idsInRefusals(endpoint, each, findings);
  }
}

/** The burst by which the limit of the operation was found, where its jobs were counted. */
async function floodOfTrace(session: LoadSession, tier: Tier): Promise<Flood | undefined> {
  if (session.makesEndpoints || !isTraced(session, tier)) return undefined;
  const seen = await unlessInconclusive(exhaustLimit(session, tier));
  if (seen?.created === undefined) return undefined;
  return { ...seen.created, sent: seen.burst, endpoint: await session.endpoint() };
}

async function floodOf(session: LoadSession, { operation, limit }: Tier): Promise<Flood> {
  const endpoint = await session.endpoint({ workers: 1 });
  await endpoint.waitUntilRested(operation);
  const countedJobs = await countNewJobs(endpoint);
  const sent = await endpoint.send(operation, limit + flood);
  return { endpoint, sent: [sent], ...(await countedJobs()) };
}

const idsMax = 3;

/** Judges that an id in the body of a refusal, which may be that of an error or of a trace, is not that of a job. */
async function idsInRefusals(
  endpoint: LoadEndpoint,
  { exchanges, samples }: Tally,
  findings: LoadFindings,
): Promise<void> {
  const ids = new Set(
    exchanges.filter(isRefused).flatMap(({ answer }) => idIn(answer?.body ?? "")),
  );
  for (const id of [...ids].slice(0, idsMax)) {
    const status = await endpoint.readStatus(id);
    findings.equal("the id in the body of a 429, as a job", "no record", status, samples);
  }
}

function idIn(body: string): readonly string[] {
  const value = parseJson(body);
  if (typeof value !== "object" || value === null || !("id" in value)) return [];
  return typeof value.id === "string" && value.id !== "" ? [value.id] : [];
}

/** Whether jobs can be kept from ending: by an endpoint without workers, or by jobs that sleep. */
function keepsJobs(session: Pick<LoadSession, "offers">): boolean {
  return session.offers("handler") || session.offers("workers");
}

/** Jobs that a refused cancel names stay as they are. */
async function refusedCancels(session: LoadSession, findings: LoadFindings): Promise<void> {
  const { limit } = tierOf("cancel");
  const endpoint = await session.endpoint({ workers: 0 });
  await endpoint.waitUntilRested("run");
  await endpoint.ensureJobsToCancel(limit);
  const spared = await endpoint.submit(5);
  await endpoint.waitUntilRested("cancel");
  const used = await endpoint.send("cancel", limit);
  // Some are at work by then, where workers can be set.
  if (session.makesEndpoints && session.offers("workers")) await endpoint.setWorkers(2);
  const refused = await endpoint.cancel(spared);
  requireAnswers(used, refused);
  for (const [at, jobId] of spared.entries()) {
    const exchange = refused.exchanges[at];
    if (exchange === undefined || !isRefused(exchange)) continue;
    const status = await endpoint.readStatus(jobId);
    const isLeft = status === "IN_QUEUE" || status === "IN_PROGRESS";
    const got = isLeft ? "waiting or at work" : status;
    findings.equal("a job whose cancel was refused", "waiting or at work", got, refused.samples);
  }
}

/** Jobs that wait when a purge is refused go on waiting. */
async function refusedPurges(session: LoadSession, findings: LoadFindings): Promise<void> {
  const endpoint = await session.endpoint({ workers: 0 });
  const { workers } = await endpoint.health();
  await endpoint.waitUntilRested("run", "purge-queue");
  const used = await endpoint.send("purge-queue", tierOf("purge-queue").limit);
  // More than there are workers, so that some of them wait.
  const jobIds = await endpoint.submit(Math.min(100, workers.idle + workers.running) + 3);
  const waiting = await waitingOf(endpoint, jobIds);
  const refused = await endpoint.send("purge-queue", 1);
  requireAnswers(used, refused);
  if (refused.refused === 0) return;
  for (const jobId of waiting.slice(0, 5)) {
    const status = await endpoint.readStatus(jobId);
    const got = status === "IN_PROGRESS" ? "IN_QUEUE" : status;
    findings.equal("a waiting job after a refused purge", "IN_QUEUE", got, refused.samples);
  }
}

/** Submissions that are refused for the cap make no job, either. */
async function refusedAtTheCap(session: LoadSession, findings: LoadFindings): Promise<void> {
  const { operation, cap = 0 } = tierOf("run");
  const endpoint = await session.endpoint({ workers: 1 });
  await endpoint.waitUntilRested(operation);
  const held = await holdInFlight(endpoint, "held answers", { operation, cap });
  const countedJobs = await countNewJobs(endpoint);
  const beyond: boolean[] = [];
  for (let tries = 0; tries < triesAtTheCap; tries += 1) beyond.push(await held.tryOne());
  const { more } = await countedJobs();
  await held.end();
  endpoint.closeFlights();
  // A cap that is not there is for other checks to judge.
  if (held.inFlight !== cap || beyond.includes(true)) return;
  findings.equal(`${operation}, jobs after refusals at its cap`, "0 more", `${more} more`);
}

async function waitingOf(
  endpoint: LoadEndpoint,
  jobIds: readonly string[],
): Promise<readonly string[]> {
  const waiting: string[] = [];
  for (const jobId of jobIds) {
    if ((await endpoint.readStatus(jobId)) === "IN_QUEUE") waiting.push(jobId);
  }
  return waiting;
}

const floods: LoadCost = {
  requests: { run: 1_020, runsync: 2_020, health: 40 },
  jobs: { run: 1_000, runsync: 2_000 },
};
const kept: LoadCost = {
  requests: { run: 120, cancel: 210, "purge-queue": 6 },
  jobs: { run: 120 },
};

export const effectCheck: LoadCheck = {
  name: "rate/refusals-without-effect",
  title: "What was answered 429 created, cancelled and purged nothing",
  covers: ["RATE-13"],
  needs: ["load"],
  realTimeMs: 6 * 2 * windowMs,
  sharedMs: (on) => (keepsJobs(on) ? 6 * 2 * windowMs : 0),
  cost: (on) => sumOf([on.makesEndpoints ? floods : noCost, keepsJobs(on) ? kept : noCost]),
  run: async (session, findings) => {
    // The low tiers first: what fails there need not wait for the high ones.
    if (keepsJobs(session)) {
      await refusedPurges(session, findings);
      await session.tidy();
      await refusedCancels(session, findings);
      await session.tidy();
    }
    await refusedSubmissions(session, findings);
    if (canJudgeSlotsAfterRefusals(session)) await refusedAtTheCap(session, findings);
    if (findings.comparisons === 0) throw new Inconclusive("no request was refused");
  },
};
