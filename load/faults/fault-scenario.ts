import type { ScenarioCost } from "../../scenarios/scenario.ts";
import { defaultMix, jobsOf, requestsOf, scaledMix } from "../open-loop/mix.ts";
import type { OpenLoopSize } from "../release/scenario.ts";
import type { HookName } from "../hooks/hook-names.ts";

/** The name of a scenario with a fault. */
export type FaultName =
  "restart" | "kill" | "pause" | "slow-network" | "cut-network" | "worker-loss";

/** A steady mix in the middle of which a fault happens and ends. */
export interface FaultScenario {
  readonly name: FaultName;
  readonly question: string;
  /** The hook that brings the fault about, and the one that ends it. */
  readonly begin?: HookName;
  readonly end?: HookName;
  /** Whether Toxiproxy brings it about, between the harness and the target. */
  readonly isOfNetwork?: true;
  /** Whether a job that is at work when it happens may be worked on anew, or fail. */
  readonly losesWork: boolean;
}

export const faultScenarios: readonly FaultScenario[] = [
  {
    name: "restart",
    question: "Does everything survive a restart under load?",
    begin: "restart",
    losesWork: true,
  },
  {
    name: "kill",
    question: "Does everything survive it when the server is killed under load?",
    begin: "kill",
    end: "start",
    losesWork: true,
  },
  {
    name: "pause",
    question: "Does everything survive it when the server stands still under load?",
    begin: "pause",
    end: "resume",
    losesWork: false,
  },
  {
    name: "slow-network",
    question: "Does everything survive a slow network under load?",
    isOfNetwork: true,
    losesWork: false,
  },
  {
    name: "cut-network",
    question: "Does everything survive a cut network under load?",
    isOfNetwork: true,
    losesWork: false,
  },
  {
    name: "worker-loss",
    question: "Does everything survive the loss of all workers under load?",
    begin: "kill-workers",
    end: "start-workers",
    losesWork: true,
  },
];

/** The name of a scenario with a fault in the report. */
export function faultScenarioName({ name }: Pick<FaultScenario, "name">): string {
  return `load/fault/${name}`;
}

/** How a scenario with a fault goes on, in ms from the start of its mix. */
export interface FaultSchedule {
  readonly mixMs: number;
  readonly faultAtMs: number;
  /** How long a fault lasts that ends by a hook of its own, or on the network. */
  readonly faultMs: number;
}

/** How long the mix lasts by default: long enough for a ttl, which is at least 10 s, to end after the fault. */
export const mixMsDefault = 40_000;
/** With less before the fault, a ttl cannot end before it. */
export const mixMsMin = 30_000;

export function scheduleOf(durationMs = mixMsDefault): FaultSchedule {
  const mixMs = Math.max(mixMsMin, durationMs);
  return { mixMs, faultAtMs: Math.round(0.45 * mixMs), faultMs: Math.round(0.12 * mixMs) };
}

type FaultSize = Pick<OpenLoopSize, "durationMs" | "scale" | "mix">;

/** Jobs that are placed around the fault, and requests for them besides the one read of each job at the end. */
const placedJobs = 38;
const placedRequests = 90;
/** How long looking afterwards takes: until a result of runsync is no longer kept (a minute), and some seconds. */
export const afterwardsMs = 75_000;

/** From the end of the fault until a result of after it is no longer kept, and what starting and looking take. */
const keptAfterwardsMs = 63_000;
const aroundMs = 5_000;

/** What a scenario with a fault sends, and how long it takes. */
export function faultCost({
  durationMs,
  scale = 1,
  mix: given = defaultMix,
}: FaultSize): ScenarioCost {
  const { mixMs, faultAtMs, faultMs } = scheduleOf(durationMs);
  const mix = scaledMix(given, scale);
  const jobs = jobsOf(mix, mixMs) + placedJobs;
  const sent = requestsOf(mix, mixMs);
  return {
    requests: sent + jobs + placedRequests,
    jobs,
    durationMs: Math.max(mixMs, faultAtMs + faultMs + keptAfterwardsMs) + aroundMs,
    peakPerSecond: Math.ceil(sent / (mixMs / 1_000)),
    inFlightMax: Math.ceil((2 * sent) / (mixMs / 1_000)),
  };
}
