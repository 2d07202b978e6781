import { Undecided } from "./check.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import type { Findings } from "./findings.ts";
import { demandAnswers } from "./rate.ts";
import type { Stand } from "./stand.ts";
import { windowMs } from "./table.ts";

const base = 2_000;
const allowance = 50;
const workersBelow = 20;
const workersAbove = 50;
/** Workers times allowance is the base: one worker to either side tells the maximum from a sum. */
const crossing = base / allowance;

async function expectLimit(
  endpoint: LoadEndpoint,
  workers: number,
  findings: Findings,
): Promise<void> {
  const limit = Math.max(base, workers * allowance);
  const sent = await endpoint.send("status", limit + 1);
  demandAnswers(sent);
  const at = `status with ${String(workers)} workers busy`;
  findings.equal(
    at,
    `${String(limit)} accepted`,
    `${String(sent.accepted)} accepted`,
    sent.samples,
  );
}

/** An endpoint whose workers all have a job that outlasts the check. */
async function busyEndpoint(
  stand: Stand,
  workers: number,
): Promise<{ endpoint: LoadEndpoint; jobIds: readonly string[] }> {
  const endpoint = await stand.endpoint({ workers, allowance });
  const jobIds = await endpoint.submit(workers);
  const { running } = (await endpoint.health()).workers;
  if (running !== workers) throw new Undecided(`health shows ${String(running)} busy workers`);
  return { endpoint, jobIds };
}

async function growAndShrink(stand: Stand, findings: Findings): Promise<void> {
  const { endpoint } = await busyEndpoint(stand, workersBelow);
  await expectLimit(endpoint, workersBelow, findings);

  await endpoint.setWorkers(workersAbove);
  const added = await endpoint.submit(workersAbove - workersBelow);
  const more = (workersAbove - crossing) * allowance;
  const grown = await endpoint.send("status", more + 1);
  demandAnswers(grown);
  // A bucket fills up with time only, so fewer may be right; more never are.
  const at = `status, further requests once ${String(workersAbove)} workers are busy`;
  const got = grown.accepted <= more ? `at most ${String(more)}` : String(grown.accepted);
  findings.equal(at, `at most ${String(more)}`, got, grown.samples);
  findings.figures["accepted after growth in the window"] = grown.accepted;

  await endpoint.wait(2 * windowMs);
  await expectLimit(endpoint, workersAbove, findings);

  await endpoint.setWorkers(workersBelow);
  demandAnswers(await endpoint.cancel(added));
  const shrunk = await endpoint.send("status", 1);
  findings.equal("status once the workers are fewer", "1 × 429", shrunk.words, shrunk.samples);
  await endpoint.wait(2 * windowMs);
  await expectLimit(endpoint, workersBelow, findings);
}

export const dynamicChecks: readonly LoadCheck[] = [
  {
    name: "rate/dynamic-limit",
    title: "20 busy workers give 2000, 50 give 2500, and one worker to either side of 40",
    covers: "RATE-12",
    needs: ["load", "workers", "allowance", "endpoints", "clock"],
    realTimeMs: 0,
    requests: 11_200,
    jobs: 131,
    run: async (stand, findings) => {
      await growAndShrink(stand, findings);
      for (const workers of [crossing - 1, crossing + 1]) {
        const { endpoint } = await busyEndpoint(stand, workers);
        await expectLimit(endpoint, workers, findings);
      }
    },
  },
];
