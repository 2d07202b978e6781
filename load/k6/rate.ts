import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { acceptedBounds, ratePhases } from "../../scenarios/rate.ts";
import type { Bounds, RateLevel, RatePhase } from "../../scenarios/rate.ts";
import type { K6Endpoint, K6RatePhase, K6RateSettings } from "../../scenarios/k6/settings.ts";
import { windowMs } from "../../scenarios/tiers.ts";
import type { Tier } from "../../scenarios/tiers.ts";
import type { EngineFinding } from "../result.ts";
import { judgeRate, phaseNameOf } from "./judge-rate.ts";
import { runK6 } from "./run.ts";
import type { K6Run } from "./run.ts";

export interface K6RateRun extends Pick<
  K6Run,
  "k6" | "environment" | "redact" | "signal" | "dashboard"
> {
  readonly tiers: readonly Tier[];
  /** A fresh endpoint on a real clock for each call, or always the same one. */
  readonly endpointFor: (phase: RatePhase) => Promise<K6Endpoint>;
  /** Whether each call gives one that nothing was sent to yet. */
  readonly endpointsAreFresh: boolean;
}

/** What setting up and stopping may take beside the phases. */
const marginMs = 60_000;

/** The connections of an operation without a stated cap, and the most of any. */
const connectionsMax = 100;

/**
 * Runs the phases of the given tiers in one k6 process on the real clock and judges each tier by its
 * counts. With fresh endpoints it takes 42 s; where all share one, each rate waits until the windows
 * of the one before are over.
 */
export async function runK6Rate(run: K6RateRun): Promise<readonly EngineFinding[]> {
  const perTier = run.tiers.map((tier) => ratePhases(tier));
  const phases: K6RatePhase[] = [];
  for (const phase of perTier.flat()) {
    phases.push(planned(phase, await run.endpointFor(phase), run.endpointsAreFresh));
  }
  const settings: K6RateSettings = { phases };
  const ending = await runK6({
    ...run,
    script: k6Script("rate"),
    settings,
    timeLimitMs: k6RateMs(run.tiers, run.endpointsAreFresh) + marginMs,
  });
  return perTier.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { summary, undecided, durationMs } = ending;
    return [judgeRate({ phases: [first, ...others], summary, undecided, durationMs })];
  });
}

/** How long the phases take together. */
export function k6RateMs(tiers: readonly Tier[], endpointsAreFresh: boolean): number {
  const ends = tiers.flatMap(ratePhases).map((phase) => {
    return (
      (endpointsAreFresh ? freshStartMs[phase.level] : sharedStartMs(phase)) + phase.durationMs
    );
  });
  return Math.max(0, ...ends);
}

/** The script of one of our scenarios. k6 reads the TypeScript itself, so it is not among what is built. */
export function k6Script(name: string): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const script = join(folder, "scenarios", "k6", `${name}.ts`);
    if (existsSync(script)) return script;
    if (folder === dirname(folder)) throw new Error(`there is no k6 script called ${name}`);
    folder = dirname(folder);
  }
}

/** Two rates at once are no more than the highest alone. */
const freshStartMs: Readonly<Record<RateLevel, number>> = { below: 0, at: 0, above: 22_000 };

/** Whatever the kind of window, 20 s of silence make the whole limit free again (RATE-09). */
const silenceMs = 2 * windowMs + 1_000;

function planned(phase: RatePhase, endpoint: K6Endpoint, isFresh: boolean): K6RatePhase {
  const { tier, level, requestsPerWindow, durationMs, sent, errorMsMax } = phase;
  return {
    name: phaseNameOf(phase),
    endpoint,
    operation: tier.operation,
    requestsPerWindow,
    windowMs,
    durationMs,
    startAfterMs: isFresh ? freshStartMs[level] : sharedStartMs(phase),
    inFlightMax: Math.min(tier.inFlightMax ?? connectionsMax, connectionsMax),
    sent,
    accepted: widestBounds(phase),
    errorMsMax,
  };
}

/** purge-queue comes after all others: it would take away the jobs that wait to be cancelled. */
function sharedStartMs({ tier, level, durationMs }: RatePhase): number {
  const turn = { below: 0, at: 1, above: 2 }[level] + (tier.operation === "purge-queue" ? 3 : 0);
  return silenceMs + turn * (durationMs + silenceMs);
}

/** k6 cannot know its error beforehand: its own thresholds allow for the largest, and the judge for the one it had. */
function widestBounds(phase: RatePhase): Bounds {
  const errorMs = phase.errorMsMax;
  const [least, most] = [phase.sent.min, phase.sent.max].map((sent) =>
    acceptedBounds(phase, { sent, errorMs }),
  );
  return { min: least?.min ?? 0, max: most?.max ?? 0 };
}
