import type { Io } from "../io.ts";
import type { Aim } from "../kill-matrix/suite-job.ts";
import { resolveSettings } from "./resolve.ts";
import type { SettingName } from "./schema.ts";
import type { Flags } from "./sources.ts";

/** The options of `faults`, in the order of its help. */
export const faultsOptions = [
  "only",
  "out",
  "check",
  "whole",
  "variations",
  "cleanRuns",
] as const satisfies readonly SettingName[];

export interface FaultsSettings {
  /** What is run: every fault, every permitted variation, or the clean reference again and again. */
  readonly mode: "faults" | "variations" | "clean-runs";
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
  const variations = values.variations === true ? "variations" : "faults";
  return Object.freeze({
    mode: values.cleanRuns === true ? "clean-runs" : variations,
    aim: values.whole === true ? "whole" : "named",
    only: values.only ?? [],
    out: values.out,
    check: values.check ?? false,
  });
}
