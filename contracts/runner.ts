import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { BroadcastChannel } from "node:worker_threads";

import { startVitest } from "vitest/node";
import type { CliOptions, Reporter, TestCase, TestModule, Vitest } from "vitest/node";

import type { Capability, RequirementId } from "../openapi/index.ts";
import { checks } from "./checks.ts";
import { needsOf, realTimeOf } from "../harness/check.ts";
import type { Check } from "../harness/check.ts";
import { HarnessError } from "../harness/outcome.ts";
import { notRun } from "../harness/judge.ts";
import type { CheckResult } from "../harness/judge.ts";
import type { Target } from "../harness/session.ts";
import { stopMessage } from "./stop-message.ts";
import { openTarget } from "../harness/open-target.ts";
import type { TargetSettings } from "../harness/open-target.ts";
import { selectChecks, selectRequirements } from "../harness/select.ts";

export interface ContractSettings extends TargetSettings {
  /** The longest a check may take on a real clock. */
  readonly timeBudgetMs: number;
  /** Ids or globs of requirements; empty means all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly seed: number;
}

/** The header of a check, as it is listed and shown while it runs. */
export interface CheckSummary {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly Capability[];
  readonly realTimeMs: number;
}

/** What happens during a run, in order. A check that covers two requirements finishes with two results. */
export type ContractEvent =
  | { readonly type: "planned"; readonly checks: number }
  | { readonly type: "started"; readonly check: CheckSummary }
  /** A running check does nothing until `untilMs`, in milliseconds since 1970. */
  | { readonly type: "waiting"; readonly check: string; readonly untilMs: number }
  | { readonly type: "finished"; readonly result: CheckResult };

export interface ContractRun {
  readonly target: {
    readonly baseUrl: string;
    readonly endpointId: string;
    readonly capabilities: readonly Capability[];
  };
  readonly results: readonly CheckResult[];
  /** It was stopped by its signal before every check had ended. */
  readonly interrupted: boolean;
}

export interface ContractHooks {
  readonly onEvent?: (event: ContractEvent) => void;
  readonly signal?: AbortSignal;
}

/** What the suite file is handed. */
export interface ProvidedContract {
  readonly target: Target;
  readonly seed: number;
  readonly timeBudgetMs: number;
  readonly selected: readonly string[];
  /** The BroadcastChannel between the run and the thread of its checks: `waiting` events, and when to stop. */
  readonly channelName: string;
}

declare module "vitest" {
  interface ProvidedContext {
    contract: ProvidedContract;
  }
  interface TaskMeta {
    results?: readonly CheckResult[];
  }
}

/**
 * Runs the contract suite against a target, in a vitest of its own.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED, NOTHING_SELECTED, or HARNESS_BROKE
 */
export async function runContract(
  settings: ContractSettings,
  hooks: ContractHooks = {},
): Promise<ContractRun> {
  const requirements = selectRequirements(settings.only, settings.skip);
  if (requirements.size === 0) {
    throw new HarnessError(
      "NOTHING_SELECTED",
      "--only and --skip leave no requirement to check",
      "`queueproof list` shows the ids.",
    );
  }
  const selected = selectChecks(checks, requirements);
  const target = await openTarget(settings);
  hooks.onEvent?.({ type: "planned", checks: selected.length });
  const collector = new Collector(hooks);
  if (selected.length > 0) {
    await runInVitest(collector, hooks.signal, {
      target,
      seed: settings.seed,
      timeBudgetMs: settings.timeBudgetMs,
      selected: selected.map(({ name }) => name),
      channelName: `queueproof-${randomUUID()}`,
    });
  }
  const results = selected.flatMap((check) => collector.resultsOf(check));
  return {
    target: {
      baseUrl: target.baseUrl,
      endpointId: target.endpointId ?? "",
      capabilities: target.capabilities,
    },
    results: results.filter(({ covers }) => covers.some((id) => requirements.has(id))),
    interrupted: hooks.signal?.aborted === true,
  };
}

/** The header of every check, in the order of the suite. */
export const checkSummaries: readonly CheckSummary[] = checks.map((check) => summaryOf(check));

function summaryOf(check: Check): CheckSummary {
  const { name, title, covers } = check;
  return { name, title, covers, needs: needsOf(check), realTimeMs: realTimeOf(check) };
}

/** Listens to vitest and keeps what the checks found. */
class Collector implements Reporter {
  readonly #hooks: ContractHooks;
  readonly #results = new Map<string, readonly CheckResult[]>();
  readonly #summaries = new Map(checkSummaries.map((summary) => [summary.name, summary]));
  readonly errors: string[] = [];

  constructor(hooks: ContractHooks) {
    this.#hooks = hooks;
  }

  onTestCaseReady(test: TestCase): void {
    const check = this.#summaries.get(test.name);
    if (check !== undefined) this.#hooks.onEvent?.({ type: "started", check });
  }

  onWaiting({ check, untilMs }: { readonly check: string; readonly untilMs: number }): void {
    this.#hooks.onEvent?.({ type: "waiting", check, untilMs });
  }

  onTestCaseResult(test: TestCase): void {
    const { results } = test.meta();
    if (results === undefined) return;
    this.#results.set(test.name, results);
    for (const result of results) this.#hooks.onEvent?.({ type: "finished", result });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    const broken = modules.flatMap((module) => module.errors());
    this.errors.push(...[...broken, ...unhandled].map(({ message }) => message));
  }

  /** The results of a check; where it never ended, that it was stopped. */
  resultsOf(check: Check): readonly CheckResult[] {
    const reason = "the run was stopped before it was decided";
    return this.#results.get(check.name) ?? check.covers.map((id) => notRun(check, id, reason));
  }
}

async function runInVitest(
  collector: Collector,
  signal: AbortSignal | undefined,
  contract: ProvidedContract,
): Promise<void> {
  const exitCodeBefore = process.exitCode;
  const channel = openChannel(contract.channelName, collector, signal);
  const vitest = await startVitest("test", [], vitestOptions(collector, contract), {
    logLevel: "error",
    server: { watch: null },
    plugins: [stopOn(signal)],
  });
  await vitest.close();
  channel.close();
  // vitest sets 1 for a failed check; the exit code is the command line's to choose.
  process.exitCode = exitCodeBefore;

  const errors = [...collector.errors];
  if (errors.length > 0 && signal?.aborted !== true) {
    throw new HarnessError("HARNESS_BROKE", `the suite could not be run: ${errors.join("; ")}`);
  }
}

/** The checks run in a thread of their own, and vitest tells of a check only when it begins and ends. */
function openChannel(
  name: string,
  collector: Collector,
  signal: AbortSignal | undefined,
): BroadcastChannel {
  const channel = new BroadcastChannel(name);
  channel.addEventListener("message", (event) => {
    const data: unknown = "data" in event ? event.data : undefined;
    if (isWaiting(data)) collector.onWaiting(data);
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  const stop = (): void => channel.postMessage(stopMessage);
  signal?.addEventListener("abort", stop, { once: true });
  return channel;
}

function isWaiting(data: unknown): data is { check: string; untilMs: number } {
  if (typeof data !== "object" || data === null) return false;
  return "check" in data && typeof data.check === "string" && "untilMs" in data;
}

function vitestOptions(collector: Collector, contract: ProvidedContract): CliOptions {
  // The suite stands beside this file, as TypeScript in the repository and as JavaScript in the package.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return {
    config: false,
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: [`contracts/suite.contract.${extension}`],
    exclude: [],
    watch: false,
    reporters: [collector],
    pool: "threads",
    isolate: false,
    maxWorkers: 1,
    maxConcurrency: 100_000,
    provide: { contract },
    cache: false,
    // What is compiled already needs no second look by vite: Node loads it by itself, in half the time.
    ...(extension === "js" && { server: { deps: { external: [/.*/] } } }),
    passWithNoTests: true,
  };
}

/** Stops the run when the signal fires; running checks see it through their own signal. */
function stopOn(signal: AbortSignal | undefined): {
  name: string;
  configureVitest: (context: { vitest: Vitest }) => void;
} {
  return {
    name: "queueproof:stop",
    configureVitest: ({ vitest }) => {
      const stop = (): void => {
        void vitest.cancelCurrentRun("keyboard-input");
      };
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", stop, { once: true });
    },
  };
}
