import { isJobKind, isOfControl, jobKinds } from "../openapi/capabilities.ts";
import type { Capability, JobKind } from "../openapi/capabilities.ts";
import { countText, durationText, listText } from "./words.ts";

/** The reason for a check that was not tried because the target lacks something. */
export function lackingReason(missing: readonly string[]): string {
  return `${lackingStart}${missing.join(", ")}`;
}

/** The reason for a check that was not tried because it takes longer than allowed. */
export function tooLongReason(takesMs: number, budgetMs: number): string {
  return `takes ${durationText(takesMs)} on a real clock; the time budget is ${durationText(budgetMs)}`;
}

/** The reason for a check that was not tried because the slow job of the jobs file works too briefly. */
export function tooShortReason(neededMs: number, atLeastMs: number): string {
  return `${tooShortStart}${durationText(neededMs)}; that of the jobs file works for ${durationText(atLeastMs)} or more`;
}

/** The reason for a check that was not tried because it would send more than may still be sent. */
export function overLimitReason(
  what: "jobs" | "requests",
  { takes, left, most }: { readonly takes: number; readonly left: number; readonly most: number },
): string {
  return `takes up to ${takes} ${what}; ${left} of --max-${what} ${most} are left`;
}

/** The reason for a requirement without a verdict because its checks belong to other commands. */
export function decidedByReason(commands: readonly string[]): string {
  const named = commands.map((command) => `\`queueproof ${command}\``).join(" or ");
  return `${decidedByStart}${named}`;
}

/** The reason for a check that is run only where the time budget has no limit. */
export const thoroughReason = "sends many thousand requests, which `--time-budget full` allows";

export const notSelectedReason = "not selected";
export const nothingObservedReason = "nothing of it was observed";
export const noCheckReason = "no check covers it";

const tooShortStart = "needs a slow job that works for at least ";
const lackingStart = "the target does not offer ";
const tooLong = /^takes .+ on a real clock; the time budget is (.+)$/;
const overLimit = /^takes up to \d+ (\w+); \d+ of (--max-\w+) (\d+) are left$/;
const decidedByStart = "decided by ";

/** Of several reasons, returns the one that takes the least effort to remove, whatever their order. */
export function easiestReason(reasons: readonly string[]): string | undefined {
  return reasons.toSorted(
    (one, other) => effortOf(one) - effortOf(other) || (one < other ? -1 : 1),
  )[0];
}

function effortOf(reason: string): number {
  const missing = lackingIn(reason);
  if (missing !== undefined) return lackingEffort(missing);
  if (tooLong.test(reason) || overLimit.test(reason)) return 0;
  return reason === nothingObservedReason ? 30 : 20;
}

/** Naming a job takes less effort than offering anything else; the control protocol takes the most. */
function lackingEffort(missing: readonly string[]): number {
  const kinds = missing.filter(isJobKind).length;
  return missing.length - 0.9 * kinds + (missing.some(isOfControl) ? 10 : 0);
}

/** A requirement that was not tried, and the reason. */
export interface NotTried {
  readonly id: string;
  readonly area: string;
  readonly reason?: string | undefined;
}

/** Requirements that the same step by the user would let be tried. */
export interface NotRunGroup {
  /** How many there are and what to do, or why nothing can be done. Pairs of backticks mark code. */
  readonly text: string;
  readonly ids: readonly string[];
}

/**
 * Groups what was not tried by what would let it be tried; the largest groups come first.
 * @param hasControl whether the target speaks the control protocol.
 */
export function notRunGroups(
  entries: readonly NotTried[],
  hasControl: boolean,
): readonly NotRunGroup[] {
  const groups = new Map<string, NotTried[]>();
  for (const entry of entries) {
    const reason = entry.reason ?? "";
    const key = kindsIn(reason).length > 0 ? "jobs" : (stepFor(reason, hasControl)?.(2) ?? reason);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()]
    .toSorted((one, other) => other.length - one.length)
    .map((group) => ({
      text: textOf(group, hasControl),
      ids: group.map(({ id }) => id),
    }));
}

function textOf(group: readonly NotTried[], hasControl: boolean): string {
  const reason = group[0]?.reason ?? "";
  if (kindsIn(reason).length > 0) return jobsText(group);
  const step = stepFor(reason, hasControl);
  if (step !== undefined) return `${group.length} ${step(group.length)}`;
  return `${countText(group.length, "requirement")} in ${areasOf(group)}: ${reason === "" ? "no reason given" : reason}`;
}

/** Makes the text that follows the number of requirements. */
type Step = (count: number) => string;

/** Says what the user can do about a reason; undefined where nothing can be done. */
function stepFor(reason: string, hasControl: boolean): Step | undefined {
  const missing = lackingIn(reason);
  if (missing !== undefined) return missingStep(missing, hasControl);
  const [, budget] = tooLong.exec(reason) ?? [];
  if (budget !== undefined) {
    return (count) =>
      `${count === 1 ? "takes" : "take"} longer than ${budget}: \`--time-budget full\``;
  }
  const [, what, option, most] = overLimit.exec(reason) ?? [];
  if (option !== undefined) {
    return (count) =>
      `${count === 1 ? "takes" : "take"} more ${what} than are left of ${most}: \`${option}\``;
  }
  return reason.startsWith(decidedByStart)
    ? (count) => `${count === 1 ? "is" : "are"} ${reason}`
    : undefined;
}

function need(count: number): string {
  return count === 1 ? "needs" : "need";
}

function missingStep(missing: readonly string[], hasControl: boolean): Step {
  const ofControl = missing.filter(isOfControl);
  if (ofControl.length > 0) {
    return hasControl
      ? (count) =>
          `${need(count)} ${listText(ofControl)} of the control protocol, which the target does not offer`
      : (count) =>
          `${need(count)} the control protocol: \`--control URL\` (docs/control-protocol.md)`;
  }
  const steps = missing.map((capability) => ways[capability] ?? { option: capability });
  const options = listText(steps.map(({ option }) => `\`${option}\``));
  const conditions = listText(steps.flatMap(({ where = [] }) => where));
  const pages = steps.flatMap(({ page = [] }) => page);
  return (count) =>
    [
      `${need(count)} ${options}${conditions === "" ? "" : `, ${conditions}`}`,
      ...pages.map((page) => `(${page})`),
    ].join(" ");
}

/** The kinds of job that a check needs and nobody named; none where the control protocol is also missing. */
function kindsIn(reason: string): readonly JobKind[] {
  const missing = lackingIn(reason) ?? [];
  return missing.some(isOfControl) ? [] : jobKinds.filter((kind) => missing.includes(kind));
}

/** Describes requirements that need jobs as one group, because one file names jobs of every kind. */
function jobsText(group: readonly NotTried[]): string {
  const counts = new Map<string, number>();
  for (const { reason = "" } of group) {
    const kinds = listText(kindsIn(reason).map((kind) => `a \`${kind}\``));
    counts.set(kinds, (counts.get(kinds) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const needed = `${group.length} ${need(group.length)}`;
  const option = `\`--jobs FILE\` (${jobsPage})`;
  if (sorted.length === 1)
    return `${needed} ${sorted.map(([kinds]) => kinds).join()} job: ${option}`;

  const [first = "", ...rest] = sorted.map(([kinds, count]) => `${count} ${kinds} one`);
  const parts = [first.replace(" ", " of them "), ...rest].join(", ");
  return `${needed} jobs of your workers: ${option}, ${parts}`;
}

const jobsPage = "docs/test-my-server.md#jobs-of-your-own";

interface Way {
  readonly option: string;
  readonly where?: string;
  readonly page?: string;
}

/** The option that says that a target offers something which the control protocol does not tell. */
const ways: Readonly<Record<string, Way>> = {
  handler: {
    option: "--capability handler",
    where: "if your workers run it",
    page: "docs/test-my-server.md#the-conformance-handler",
  },
  crash: { option: "--capability crash", where: "if a job may kill a worker" },
  webhook: { option: "--webhook-url URL", where: "which has to lead to this machine" },
  foreignKey: { option: "--foreign-key" },
  openai: { option: "--capability openai", where: "if the endpoint serves /openai" },
  requests: { option: "--capability requests", where: "if the endpoint serves /requests" },
  load: { option: "--capability load", where: "if its owner allows load" },
} satisfies Partial<Record<Capability, Way>>;

function lackingIn(reason: string): readonly string[] | undefined {
  if (!reason.startsWith(lackingStart)) return undefined;
  return reason.slice(lackingStart.length).split(", ");
}

const areasNamedMax = 5;

function areasOf(entries: readonly NotTried[]): string {
  const areas = [...new Set(entries.map(({ area }) => area))];
  return areas.length > areasNamedMax ? countText(areas.length, "area") : listText(areas);
}
