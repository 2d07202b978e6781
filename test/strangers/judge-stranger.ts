import type { RunSettings } from "../../harness/run.ts";
import { largeIntegersId } from "../../harness/discovery/answers.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { runContract } from "../../contracts/run-contract.ts";
import { apiKey } from "./kinds.ts";
import type { StrangerKind } from "./kinds.ts";
import { startStranger } from "./departures.ts";

/** The causes that a server of these kinds has to give. */
export function causesOf(chosen: readonly StrangerKind[]): readonly string[] {
  const makesJobs = !chosen.some(({ causes }) => causes.includes("input-refused"));
  return chosen
    .filter(({ needsJobs = false }) => makesJobs || !needsJobs)
    .flatMap(({ causes }) => causes)
    .toSorted();
}

export interface JudgedStranger {
  readonly learned: readonly string[];
  readonly beyond: readonly string[];
}

/** What was judged in one line, so that a log of CI tells what was beyond. */
export function told({ learned, beyond }: JudgedStranger): string {
  return `learned ${learned.join(", ")}; beyond that: ${beyond.join("; ")}`;
}

/**
 * What a run learned of a server that departs so, and what it failed or left undecided beyond that. On a machine that is
 * busy with other tests something may stay undecided, an operation may look slow, or a slow cancel no slower than all else:
 * that is honest, and is tried again; a failure never is.
 */
export async function judge(chosen: readonly StrangerKind[]): Promise<JudgedStranger> {
  return inTurn(async () => {
    const judged = await judgeNow(chosen);
    const { learned, beyond } = judged;
    const isWhole = beyond.length === 0 && String(learned) === String(causesOf(chosen));
    const isFailed = beyond.some((each) => each.startsWith("fail"));
    return isWhole || isFailed ? judged : judgeNow(chosen);
  });
}

async function judgeNow(chosen: readonly StrangerKind[]): Promise<JudgedStranger> {
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
export async function judgeControlled(chosen: readonly StrangerKind[]): Promise<JudgedStranger> {
  const reference = await startReference();
  const { controlUrl } = reference;
  if (controlUrl === undefined) throw new Error("the reference has a control protocol");
  return judgeFrom(reference, chosen, { controlUrl, capabilities: [] });
}

/**
 * How many are judged at once: servers and runs share one thread, and a run that gets too little of it ends at its bound.
 */
const slots = 5;
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

export async function judgeFrom(
  reference: Reference,
  chosen: readonly StrangerKind[],
  settings: Omit<RunSettings, "baseUrl" | "seed" | "timeBudgetMs"> & Partial<RunSettings>,
): Promise<JudgedStranger> {
  const departures = chosen.map(({ departure }) => departure());
  const [timeoutMs] = chosen.flatMap((kind) => kind.timeoutMs ?? []);
  const { baseUrl, stop } = await startStranger(reference.baseUrl, departures);
  try {
    const { results, facts = [] } = await runContract({
      timeBudgetMs: 1000,
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...settings,
      baseUrl,
      seed: 1,
    });
    // That integers are rounded is the reference's own.
    const departing = facts.filter(({ id }) => id !== largeIntegersId);
    const learned = departing.map(({ id }) => id).toSorted();
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
