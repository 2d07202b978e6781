import { describe, expect, test } from "vitest";

import { seededRandom } from "../harness/random.ts";
import type { RunSettings } from "../harness/run.ts";
import { startReference } from "../reference/start-reference.ts";
import type { Reference } from "../reference/start-reference.ts";
import { apiKey, kinds, kindsAlone, otherForms } from "../test/strangers/kinds.ts";
import type { StrangerKind } from "../test/strangers/kinds.ts";
import { holdingRunsync } from "../test/strangers/other-forms.ts";
import { startStranger } from "../test/strangers/start-stranger.ts";
import { runContract } from "./run-contract.ts";

/** A conforming server with exactly these departures gives exactly these causes, and no failure beyond them. */

function causesOf(chosen: readonly StrangerKind[]): readonly string[] {
  const makesJobs = !chosen.some(({ causes }) => causes.includes("input-refused"));
  return chosen
    .filter(({ needsJobs = false }) => makesJobs || !needsJobs)
    .flatMap(({ causes }) => causes)
    .toSorted();
}

interface Judged {
  readonly learned: readonly string[];
  readonly beyond: readonly string[];
}

/** The same in one line, so that a log of CI tells what was beyond. */
function told({ learned, beyond }: Judged): string {
  return `learned ${learned.join(", ")}; beyond that: ${beyond.join("; ")}`;
}

/**
 * What a run learned of a server that departs so, and what it failed or left undecided beyond that. A machine that is
 * busy with other tests may leave something undecided, which is honest, and is tried again; a failure never is.
 */
async function judge(chosen: readonly StrangerKind[]): Promise<Judged> {
  return inTurn(async () => {
    const judged = await judgeNow(chosen);
    const isOpen =
      judged.beyond.length > 0 && !judged.beyond.some((each) => each.startsWith("fail"));
    return isOpen ? judgeNow(chosen) : judged;
  });
}

async function judgeNow(chosen: readonly StrangerKind[]): Promise<Judged> {
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
async function judgeControlled(chosen: readonly StrangerKind[]): Promise<Judged> {
  const reference = await startReference();
  const { controlUrl } = reference;
  if (controlUrl === undefined) throw new Error("the reference has a control protocol");
  return judgeFrom(reference, chosen, { controlUrl, capabilities: [] });
}

/**
 * How many are judged at once: servers and runs share one thread, and a run that gets too little of it ends at its bound.
 */
const slots = 3;
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(judged: () => Promise<T>): Promise<T> {
  if (running >= slots) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await judged();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

async function judgeFrom(
  reference: Reference,
  chosen: readonly StrangerKind[],
  settings: Omit<RunSettings, "baseUrl" | "seed" | "timeBudgetMs"> & Partial<RunSettings>,
): Promise<Judged> {
  const departures = chosen.map(({ departure }) => departure());
  const { baseUrl, stop } = await startStranger(reference.baseUrl, departures);
  try {
    const { results, facts = [] } = await runContract({
      timeBudgetMs: 1000,
      ...settings,
      baseUrl,
      seed: 1,
    });
    const learned = facts.map(({ id }) => id).toSorted();
    const beyond = results
      .filter(({ verdict }) => verdict === "fail" || verdict === "inconclusive")
      .filter(({ cause = "" }) => !learned.includes(cause))
      .map(
        ({ verdict, name, covers, reason }) =>
          `${verdict} ${name} (${covers.join(", ")}): ${reason}`,
      );
    return { learned, beyond };
  } finally {
    await stop();
    await reference.stop();
  }
}

/** Three kinds that can be had together, the same ones for a seed. */
function combination(seed: number): readonly StrangerKind[] {
  const random = seededRandom(seed, "strangers");
  const chosen: StrangerKind[] = [];
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
  test.each([...kinds, ...otherForms, ...kindsAlone])(
    "$what gives that as its cause",
    async (kind) => {
      const judged = await judge([kind]);
      expect(judged, told(judged)).toEqual({ learned: causesOf([kind]), beyond: [] });
    },
  );

  const combinations = Array.from({ length: 20 }, (_, seed) => combination(seed + 1));
  test.each(
    combinations.map((chosen) => ({ chosen, what: chosen.map(({ what }) => what).join("; ") })),
  )("$what gives those as its causes", async ({ chosen }) => {
    const judged = await judge(chosen);
    expect(judged, told(judged)).toEqual({ learned: causesOf(chosen), beyond: [] });
  });
});

test("a runsync that is held until its job has ended is one cause, and what follows it is not run", async () => {
  const endpointId = "e";
  const workers = { workers: 3 };
  const reference = await startReference({
    endpointId,
    apiKey,
    control: false,
    defaultEndpoint: workers,
  });
  const only = ["SYNC-04", "SYNC-11", "CANC-01", "CANC-04", "PURG-02"];
  const settings = {
    endpointId,
    apiKey,
    capabilities: ["handler"],
    only,
    timeBudgetMs: 15_000,
  } as const;
  const kind = { what: "", departure: () => holdingRunsync, causes: ["runsync-holds"] };
  const judged = await judgeFrom(reference, [kind], settings);
  expect(judged, told(judged)).toEqual({ learned: kind.causes, beyond: [] });
});

// One after the other: on virtual clocks nothing but the processor is waited for.
describe("a server with the control protocol and", () => {
  // A key that everybody has is none of a fresh endpoint; the others wait on a real clock.
  const others = new Set(["no key", "slow cancel", "late ids"]);
  test.each(kinds.filter(({ what }) => !others.has(what)))(
    "$what gives that as its cause",
    async (kind) => {
      const judged = await judgeControlled([kind]);
      expect(judged, told(judged)).toEqual({ learned: causesOf([kind]), beyond: [] });
    },
  );
});
