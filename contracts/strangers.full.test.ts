import { describe, expect, test } from "vitest";

import { seededRandom } from "../harness/random.ts";
import type { RunSettings } from "../harness/run.ts";
import { startReference } from "../reference/start-reference.ts";
import type { Reference } from "../reference/start-reference.ts";
import {
  bearerAlone,
  blockingCancel,
  dyingWorkers,
  inputFirst,
  lacking,
  lateIds,
  otherHealth,
  refusing422,
  slowCancel,
  withoutKey,
  withoutV2,
  withoutWebhooks,
} from "../test/strangers/departures.ts";
import type { Departure } from "../test/strangers/departures.ts";
import { startStranger } from "../test/strangers/start-stranger.ts";
import { runContract } from "./run-contract.ts";

/** A conforming server with exactly these departures gives exactly these causes, and no failure beyond them. */

const apiKey = "key-of-the-endpoint";

interface Kind {
  /** In the order in which they are put before the server, the outermost first. */
  readonly what: string;
  readonly departure: () => Departure;
  readonly causes: readonly string[];
  /** A kind that cannot be had together with it. */
  readonly without?: string;
  /** Whether it is only learned from jobs. */
  readonly needsJobs?: boolean;
}

const kinds: readonly Kind[] = [
  { what: "no /v2", departure: () => withoutV2, causes: ["path-without-v2"] },
  {
    what: "no key",
    departure: () => withoutKey(apiKey),
    causes: ["key-not-asked"],
    without: "Bearer alone",
  },
  { what: "Bearer alone", departure: () => bearerAlone, causes: ["key-bearer-only"] },
  { what: "422", departure: () => refusing422, causes: ["refusals-422"] },
  {
    what: "no stream, retry and purge",
    departure: () => lacking("stream", "retry", "purge-queue"),
    causes: ["missing-stream", "missing-retry", "missing-purge-queue"],
  },
  {
    what: "no health",
    departure: () => lacking("health"),
    causes: ["missing-health"],
    without: "another health",
  },
  { what: "another health", departure: () => otherHealth, causes: ["health-shape"] },
  {
    what: "the handler looks at the input first",
    departure: () => inputFirst,
    causes: ["input-refused"],
  },
  {
    what: "no webhooks",
    departure: () => withoutWebhooks,
    causes: ["webhooks-never-arrive"],
    needsJobs: true,
  },
  { what: "slow cancel", departure: () => slowCancel(1500), causes: ["slow-cancel"] },
  { what: "late ids", departure: () => lateIds(1000), causes: ["ids-late"], needsJobs: true },
];

/** Kinds beside which little else is decided. */
const kindsAlone: readonly Kind[] = [
  {
    what: "a cancel that blocks it",
    departure: () => blockingCancel(12_000),
    causes: ["blocking-cancel"],
  },
  { what: "workers that die", departure: () => dyingWorkers(30), causes: ["nothing-moves"] },
];

function causesOf(chosen: readonly Kind[]): readonly string[] {
  const makesJobs = !chosen.some(({ causes }) => causes.includes("input-refused"));
  return chosen
    .filter(({ needsJobs = false }) => makesJobs || !needsJobs)
    .flatMap(({ causes }) => causes)
    .toSorted();
}

interface Judged {
  readonly learned: readonly string[];
  readonly beyond: readonly unknown[];
}

/** What a run learned of a server that departs so, and what it failed or left undecided beyond that. */
async function judge(chosen: readonly Kind[]): Promise<Judged> {
  const endpointId = "e";
  const reference = await startReference({
    endpointId,
    apiKey,
    foreignKey: "key-of-another",
    control: false,
    defaultEndpoint: { workers: 3 },
  });
  return judgeFrom(reference, chosen, {
    endpointId,
    apiKey,
    foreignKey: reference.foreignKey,
    capabilities: ["handler"],
  });
}

/** The same of one that has the control protocol, on virtual clocks. */
async function judgeControlled(chosen: readonly Kind[]): Promise<Judged> {
  const reference = await startReference();
  const { controlUrl } = reference;
  if (controlUrl === undefined) throw new Error("the reference has a control protocol");
  return judgeFrom(reference, chosen, { controlUrl, capabilities: [] });
}

async function judgeFrom(
  reference: Reference,
  chosen: readonly Kind[],
  settings: Omit<RunSettings, "baseUrl" | "seed" | "timeBudgetMs">,
): Promise<Judged> {
  const departures = chosen.map(({ departure }) => departure());
  const { baseUrl, stop } = await startStranger(reference.baseUrl, departures);
  try {
    const { results, facts = [] } = await runContract({
      ...settings,
      baseUrl,
      seed: 1,
      timeBudgetMs: 1000,
    });
    const learned = facts.map(({ id }) => id).toSorted();
    const beyond = results
      .filter(({ verdict }) => verdict === "fail" || verdict === "inconclusive")
      .filter(({ cause = "" }) => !learned.includes(cause))
      .map(({ name, covers, reason }) => [name, covers, reason]);
    return { learned, beyond };
  } finally {
    await stop();
    await reference.stop();
  }
}

/** Three kinds that can be had together, the same ones for a seed. */
function combination(seed: number): readonly Kind[] {
  const random = seededRandom(seed, "strangers");
  const chosen: Kind[] = [];
  while (chosen.length < 3) {
    const kind = kinds[Math.floor(random() * kinds.length)];
    if (kind === undefined || chosen.includes(kind)) continue;
    if (!chosen.some((other) => other.without === kind.what || kind.without === other.what)) {
      chosen.push(kind);
    }
  }
  return kinds.filter((kind) => chosen.includes(kind));
}

describe.concurrent("a server with", () => {
  test.each([...kinds, ...kindsAlone])("$what gives that as its cause", async (kind) => {
    expect(await judge([kind])).toEqual({ learned: causesOf([kind]), beyond: [] });
  });

  const combinations = Array.from({ length: 20 }, (_, seed) => combination(seed + 1));
  test.each(
    combinations.map((chosen) => ({ chosen, what: chosen.map(({ what }) => what).join("; ") })),
  )("$what gives those as its causes", async ({ chosen }) => {
    expect(await judge(chosen)).toEqual({ learned: causesOf(chosen), beyond: [] });
  });
});

// One after the other: on virtual clocks nothing but the processor is waited for.
describe("a server with the control protocol and", () => {
  // A key that everybody has is none of a fresh endpoint; the others wait on a real clock.
  const others = new Set(["no key", "slow cancel", "late ids"]);
  test.each(kinds.filter(({ what }) => !others.has(what)))(
    "$what gives that as its cause",
    async (kind) => {
      expect(await judgeControlled([kind])).toEqual({ learned: causesOf([kind]), beyond: [] });
    },
  );
});
