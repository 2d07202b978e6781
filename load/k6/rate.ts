import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Tier } from "../../openapi/operations.ts";
import type { Bounds, RatePhase } from "../../scenarios/rate.ts";
import type { K6Endpoint, K6RatePhase, K6RateSettings } from "../../scenarios/k6/settings.ts";
import { installedFile } from "../../openapi/installation.ts";
import { windowMs } from "../../openapi/operations.ts";
import { K6Points, K6PointsError } from "./points.ts";
import type { RequestPoint } from "./points.ts";
import { rateFinding, rateFindingOfRunner } from "./rate-finding.ts";
import { pointsOf } from "./segment.ts";
import type { Segment } from "./segment.ts";
import type { EngineFinding } from "../result.ts";
import { acceptedBounds } from "./accepted-bounds.ts";
import { phaseNameOf } from "./judge-rate.ts";
import { k6RateMs, phasesOf, timedPhases } from "./rate-plan.ts";
import type { RateMode, TimedPhase } from "./rate-plan.ts";
import { runK6 } from "./run.ts";
import type { K6Run } from "./run.ts";

export interface K6RateRun extends Pick<
  K6Run,
  "k6" | "rules" | "environment" | "redact" | "signal" | "dashboard" | "meter"
> {
  readonly tiers: readonly Tier[];
  /** A fresh endpoint on a real clock for each call, or always the same one. */
  readonly endpointFor: (phase: RatePhase) => Promise<K6Endpoint>;
  /** Tells whether each call gives an endpoint that nothing was sent to yet. */
  readonly rateMode: RateMode;
  /** Set where this process does only its share of a test that several run together. */
  readonly share?: K6Share | undefined;
}

/** The share of one of several runners. */
export interface K6Share {
  readonly segment: Segment;
  readonly startAtMs?: number | undefined;
  /** The report's folder; the points go into it. */
  readonly directory: string;
}

/** How long setting up and stopping may take, besides the phases. */
const marginMs = 60_000;

/** The connections of an operation without a stated cap, and the most of any. */
const connectionsMax = 100;

/**
 * Runs the phases of the given tiers in one k6 process on the real clock and judges each tier by its
 * counts. With fresh endpoints it takes 42 s; where all share one, each rate waits until the windows
 * of the one before are over.
 */
export async function runK6Rate(run: K6RateRun): Promise<readonly EngineFinding[]> {
  const scratch = await mkdtemp(join(tmpdir(), "queueproof-points-"));
  try {
    const points = run.share === undefined ? undefined : pointsOf("rate", run.share.segment);
    const directory = run.share?.directory ?? scratch;
    const pointsFile = join(directory, points?.file ?? "points.json.gz");
    await mkdir(dirname(pointsFile), { recursive: true });
    const ending = await runK6({
      ...run,
      ...run.share,
      pointsFile,
      script: k6Script("rate"),
      settings: await rateSettings(run),
      timeLimitMs: untilStartMs(run.share) + k6RateMs(run.tiers, run.rateMode) + marginMs,
    });
    const { summary, undecided, durationMs } = ending;
    const end = { summary, undecided, durationMs };
    if (points !== undefined)
      return run.tiers.map((tier) => rateFindingOfRunner(tier, end, points));
    const requests = await requestsIn(pointsFile);
    return run.tiers.map((tier) =>
      rateFinding({ tier, phases: phasesOf(tier, run.rateMode), ...end }, requests),
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What the script is given: every phase of every tier, with when it starts and where it sends to. */
export async function rateSettings({
  tiers,
  endpointFor,
  rateMode,
}: Pick<K6RateRun, "tiers" | "endpointFor" | "rateMode">): Promise<K6RateSettings> {
  const phases: K6RatePhase[] = [];
  for (const timed of timedPhases(tiers, rateMode)) {
    phases.push(planned(timed, await endpointFor(timed.phase)));
  }
  return { phases };
}

/** How long the runners of a test still wait for each other. */
export function untilStartMs(
  share: { readonly startAtMs?: number | undefined } | undefined,
): number {
  return Math.max(0, (share?.startAtMs ?? 0) - Date.now());
}

/** Reads the requests for plots. A run whose points are missing still has its counts. */
async function requestsIn(file: string): Promise<readonly RequestPoint[]> {
  const points = new K6Points(new Set(["http_req_duration"]));
  try {
    await points.add(file);
    return points.requests;
  } catch (error) {
    if (error instanceof K6PointsError) return [];
    throw error;
  }
}

/** The most the phases ask of a target at one time. */
export function k6RatePeak(
  tiers: readonly Tier[],
  rateMode: RateMode,
): { readonly requestsPerSecond: number; readonly inFlight: number } {
  const phases = timedPhases(tiers, rateMode).map(({ phase, startMs }) => ({
    fromMs: startMs,
    requestsPerSecond: (phase.requestsPerWindow * 1_000) / windowMs,
    inFlight: connectionsOf(phase.tier),
  }));
  // Phases that begin together go on together, and none overlaps the next.
  const sums = phases.map(({ fromMs }) => {
    const together = phases.filter((each) => each.fromMs === fromMs);
    return {
      requestsPerSecond: together.reduce((sum, each) => sum + each.requestsPerSecond, 0),
      inFlight: together.reduce((sum, each) => sum + each.inFlight, 0),
    };
  });
  return {
    requestsPerSecond: Math.ceil(Math.max(0, ...sums.map((sum) => sum.requestsPerSecond))),
    inFlight: Math.max(0, ...sums.map((sum) => sum.inFlight)),
  };
}

function connectionsOf({ cap = connectionsMax }: Tier): number {
  return Math.min(cap, connectionsMax);
}

/** The script of one of our scenarios. k6 reads the TypeScript itself, so it is not among what is built. */
export function k6Script(name: string): string {
  return fileURLToPath(installedFile(`scenarios/k6/${name}.ts`));
}

function planned({ phase, startMs }: TimedPhase, endpoint: K6Endpoint): K6RatePhase {
  const { tier, requestsPerWindow, durationMs, sent, errorMsMax } = phase;
  return {
    name: phaseNameOf(phase),
    endpoint,
    operation: tier.operation,
    perWindow: requestsPerWindow,
    windowMs,
    durationMs,
    startMs,
    inFlightMax: connectionsOf(tier),
    sent,
    accepted: widestBounds(phase),
    errorMsMax,
  };
}

/** k6 cannot know its error beforehand: its own thresholds allow for the largest, and the judge for the one it had. */
function widestBounds(phase: RatePhase): Bounds {
  const errorMs = phase.errorMsMax;
  const [least, most] = [phase.sent.min, phase.sent.max].map((sent) =>
    acceptedBounds(phase, { sent, errorMs }),
  );
  return { min: least?.min ?? 0, max: most?.max ?? 0 };
}
