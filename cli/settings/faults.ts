import type { Io } from "../io.ts";
import type { Aim } from "../kill-matrix/suite-job.ts";
import { faultsOptions } from "./command-options.ts";
import { longNames } from "./options.ts";
import { refuseUnusable, resolveSettings } from "./resolve.ts";
import type { SettingValues } from "./schema.ts";
import type { Flags } from "./sources.ts";

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
  refuseUnusable(disagreements(values));
  return Object.freeze({
    mode: modeOf(values),
    aim: values.whole === true ? "whole" : "named",
    only: values.only ?? [],
    out: values.out,
    check: values.check ?? false,
  });
}

/** Each of them says what is run, and to what extent: no two can be followed at once. */
const exclusive = ["variations", "cleanRuns", "realClock", "whole"] as const;

/** Looks at all sources together, for an option cannot take back what a variable or the file has asked for. */
function disagreements(values: SettingValues): readonly string[] {
  const given = exclusive.filter((name) => values[name] === true);
  if (given.length < 2) return [];
  const names = given.map((name) => longNames(name).at(-1)).join(" and ");
  return [`${names}: expected only one of them, for each says what is run`];
}

function modeOf({ cleanRuns, realClock, variations }: SettingValues): FaultsSettings["mode"] {
  if (cleanRuns === true) return "clean-runs";
  if (realClock === true) return "real-clock";
  return variations === true ? "variations" : "faults";
}
