import type { Toxiproxy, Toxic } from "../toxiproxy/toxiproxy.ts";
import type { FaultName, FaultScenario } from "./fault-scenario.ts";
import { runHook } from "../hooks/hook.ts";
import type { HookRun } from "../hooks/hook.ts";
import type { HookName, HookCommands } from "../hooks/hook-names.ts";

/** How a fault is brought about and ended. What was begun is always ended, also after a stop. */
export interface FaultAction {
  /** Brings it about. Returns why it could not. */
  readonly begin: () => Promise<string | undefined>;
  /** Ends it, once; it may be called at any time. Returns why it could not. */
  readonly end: () => Promise<string | undefined>;
  /** What hooks did. */
  readonly hooks: readonly HookRun[];
}

/** What Toxiproxy does in the scenarios of the network: latencies in ms, rates in kB/s. */
const toxics: Readonly<Partial<Record<FaultName, readonly Toxic[]>>> = {
  "slow-network": [
    { type: "latency", attributes: { latency: 300, jitter: 150 } },
    { type: "bandwidth", attributes: { rate: 100 } },
  ],
  // Nothing passes, and nobody is told: connections neither close nor answer.
  "cut-network": [{ type: "timeout", attributes: { timeout: 0 } }],
};

/** A fault that the owner's commands bring about. */
export function faultByHooks(scenario: FaultScenario, hooks: HookCommands): FaultAction {
  const runs: HookRun[] = [];
  const run = async (name: HookName | undefined): Promise<string | undefined> => {
    const command = name === undefined ? undefined : hooks[name];
    if (name === undefined || command === undefined) return undefined;
    const done = await runHook(name, command);
    runs.push(done);
    const said = done.output === "" ? "" : `; it printed: ${done.output}`;
    return done.failed === undefined ? undefined : `the hook ${name} failed: ${done.failed}${said}`;
  };
  let isBegun = false;
  return {
    hooks: runs,
    begin: async () => {
      isBegun = true;
      return run(scenario.begin);
    },
    end: async () => {
      if (!isBegun) return undefined;
      isBegun = false;
      return run(scenario.end);
    },
  };
}

/** A fault of the network between us and the target. */
export function faultOfNetwork(name: FaultName, toxiproxy: Toxiproxy): FaultAction {
  return {
    hooks: [],
    begin: async () => {
      for (const toxic of toxics[name] ?? []) await toxiproxy.add(toxic);
      return undefined;
    },
    end: async () => {
      await toxiproxy.clear();
      return undefined;
    },
  };
}

/** Workers that die of a job (the conformance handler's `crash`), where no hook ends them. */
export function faultByCrashes(crash: () => Promise<unknown>): FaultAction {
  return {
    hooks: [],
    begin: async () => {
      await crash();
      return undefined;
    },
    end: async () => Promise.resolve(undefined),
  };
}
