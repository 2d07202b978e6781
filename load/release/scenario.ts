import { Inconclusive, stopReason } from "../../harness/outcome.ts";
import { hasEndpoint } from "../../harness/endpoint/endpoint-source.ts";
import { lackingReason } from "../../reports/not-run.ts";
import type { ScenarioCost } from "../../scenarios/scenario.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import { noEndpointReason } from "../engine-endpoints.ts";
import type { HookCommands } from "../hooks/hook-names.ts";
import type { LoadSupervision } from "../meter.ts";
import type { Mix } from "../open-loop/mix.ts";
import type { Objective } from "../objectives/objectives-file.ts";
import type { LoadTarget } from "../open-loop/booked-run.ts";
import type { ReceiverAddress } from "../../harness/webhooks/receiver-server.ts";

/** How large a scenario is; what is absent is its own default. */
export interface OpenLoopSize {
  readonly mix?: Mix | undefined;
  readonly objectives: readonly Objective[];
  readonly durationMs?: number | undefined;
  readonly scale?: number | undefined;
}

export interface OpenLoopOptions extends OpenLoopSize, LoadSupervision {
  readonly target: LoadTarget;
  readonly hooks: HookCommands;
  readonly seed: number;
  readonly webhook?: ReceiverAddress | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onBuilding?: (text: string) => void;
}

/** A question about load that this process answers itself, by requests in an open loop. */
export interface OpenLoopScenario {
  readonly name: string;
  /** The name of its entry in the report. */
  readonly entry: string;
  readonly question: string;
  readonly cost: (size: OpenLoopSize) => ScenarioCost;
  /** Why it cannot run on a target that a mix can be sent to; absent where nothing more is needed. */
  readonly obstacle?: (options: OpenLoopOptions) => string | undefined;
  /** @throws Inconclusive where it cannot start */
  readonly run: (options: OpenLoopOptions) => Promise<readonly JudgedLoad[]>;
  /** Its entries besides its own, where it does not run. */
  readonly others?: (options: OpenLoopOptions, reason: string) => readonly JudgedLoad[];
}

interface Watching {
  readonly onStarted?: (scenario: OpenLoopScenario) => void;
  readonly onFinished?: (entry: JudgedLoad, durationMs: number) => void;
}

/** Runs scenarios one after the other. One that cannot run is not-run. */
export async function runOpenLoopScenarios(
  scenarios: readonly OpenLoopScenario[],
  options: OpenLoopOptions & Watching,
): Promise<readonly JudgedLoad[]> {
  const entries: JudgedLoad[] = [];
  for (const scenario of scenarios) {
    const obstacle = obstacleTo(scenario, options);
    if (obstacle === undefined) options.onStarted?.(scenario);
    const beganMs = performance.now();
    const found =
      obstacle === undefined
        ? await runOne(scenario, options)
        : withoutRun(scenario, options, { verdict: "not-run", reason: obstacle });
    entries.push(...found);
    const [own] = found;
    if (own !== undefined) options.onFinished?.(own, Math.round(performance.now() - beganMs));
  }
  return entries;
}

function obstacleTo(scenario: OpenLoopScenario, options: OpenLoopOptions): string | undefined {
  const { signal, target, meter } = options;
  if (signal?.aborted === true) return stopReason(signal);
  const unfit = obstacleToMix(target) ?? scenario.obstacle?.(options);
  return unfit ?? meter?.whyTooMuch?.(scenario.cost(options));
}

async function runOne(
  scenario: OpenLoopScenario,
  options: OpenLoopOptions,
): Promise<readonly JudgedLoad[]> {
  try {
    return await scenario.run(options);
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    return withoutRun(scenario, options, { verdict: "inconclusive", reason: error.message });
  }
}

function withoutRun(
  scenario: OpenLoopScenario,
  options: OpenLoopOptions,
  { verdict, reason }: { readonly verdict: "not-run" | "inconclusive"; readonly reason: string },
): readonly JudgedLoad[] {
  const own = { ...headOf(scenario), figures: {}, ...notAnswered(verdict, reason) };
  return [own, ...(scenario.others?.(options, reason) ?? [])];
}

/** Why no mix can be sent to a target; undefined where it can. */
function obstacleToMix(target: LoadTarget): string | undefined {
  const { capabilities, jobs } = target;
  if (!capabilities.includes("handler") && jobs?.quick === undefined) {
    return lackingReason(["handler"]);
  }
  return hasEndpoint(target) ? undefined : noEndpointReason;
}
