import type { Io } from "../io.ts";
import type { Aim } from "../kill-matrix/suite-job.ts";
import { resolveSettings } from "./resolve.ts";
import type { SettingName, SettingValues } from "./schema.ts";
import type { Flags } from "./sources.ts";

/** The options of `faults`, in the order of its help. */
export const faultsOptions = [
  "only",
  "out",
  "check",
  "whole",
  "variations",
  "cleanRuns",
  "realClock",
] as const satisfies readonly SettingName[];

export interface FaultsSettings {
  /**
   * What is run: every fault, every permitted variation, the clean reference again and again, or what
   * concerns limits and caps on a real clock.
   */
  readonly mode: "faults" | "variations" | "clean-runs" | "real-clock";
  readonly aim: Aim;
  /** Globs of names, or of requirement ids that a fault breaks; empty for all. */
  readonly only: readonly string[];
  /** Where the page goes; absent: where the committed one stands, unless only some are run. */
  readonly out: string | undefined;
  /** Whether the page is compared instead of written. */
  readonly check: boolean;
}

/**
 * The settings of the proof, complete.
 * @throws CommandError WRONG_USAGE with every problem at once.
 */
export function faultsSettings(flags: Flags, config: string | undefined, io: Io): FaultsSettings {
  const values = resolveSettings({ settings: faultsOptions, flags, config }, io);
  return Object.freeze({
    mode: modeOf(values),
    aim: values.whole === true ? "whole" : "named",
    only: values.only ?? [],
    out: values.out,
    check: values.check ?? false,
  });
}

function modeOf({ cleanRuns, realClock, variations }: SettingValues): FaultsSettings["mode"] {
  if (cleanRuns === true) return "clean-runs";
  if (realClock === true) return "real-clock";
  return variations === true ? "variations" : "faults";
}
