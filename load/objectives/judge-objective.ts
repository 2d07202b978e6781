import { durationText } from "../../reports/words.ts";
import { nearestRank } from "../../reports/load/time-spread.ts";
import type { LoadResult } from "../../reports/model.ts";
import type { Promised } from "../../scenarios/scenario.ts";
import { headOf, notAnswered } from "../open-loop/judged-load.ts";
import type { JudgedLoad } from "../open-loop/judged-load.ts";
import type { BookedRequest } from "../open-loop/job-book.ts";
import { objectiveName } from "./objectives-file.ts";
import type { Objective } from "./objectives-file.ts";

/** A value that lies between two bounds, in ms, and when it was measured, in ms of the monotonic clock. */
export interface Measured {
  readonly atMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
}

/** What one objective is judged by. */
export interface ObjectiveValues {
  readonly values: readonly Measured[];
  /** When each request that was an error was to be sent. */
  readonly errorsAtMs: readonly number[];
  readonly requests: number;
  /** How late the generator was for these, in ms; the highest twentieth left out. */
  readonly lateMs: number;
}

/** Latencies count from the planned moment: a generator that is late by more than this share of a bound hides the rest. */
const lateShareMax = 0.2;
const lateMsMin = 5;

/** By how many ms requests were sent late; the latest twentieth is left out. */
export function lateOf(requests: readonly Pick<BookedRequest, "sentMs" | "plannedMs">[]): number {
  const late = Float64Array.from(requests, ({ sentMs, plannedMs }) => sentMs - plannedMs);
  return nearestRank(late.toSorted(), 0.95) ?? 0;
}

/** Whether requests were sent too late for a bound on their latencies to say anything. */
export function isTooLate(lateMs: number, boundMs: number): boolean {
  return lateMs > Math.max(lateMsMin, lateShareMax * boundMs);
}

/** The verdict on one objective, as an entry of the report under its own name. */
export function judgeObjective(
  objective: Objective,
  measured: ObjectiveValues,
  startMs: number,
): JudgedLoad {
  const common = objectiveHead({ name: objectiveName(objective), ...objective }, "probe");
  const judged =
    objective.measure === "errors"
      ? judgeErrors(objective, measured, startMs)
      : judgeTimes(objective, measured, startMs);
  return { ...common, ...judged };
}

/** What all entries of an objective have in common, whichever engine measured it. */
export function objectiveHead(
  promise: Promised,
  engine: LoadResult["engine"],
): ReturnType<typeof headOf> {
  const question = `Does it hold that ${wordsOf(promise)}?`;
  return headOf({ entry: objectiveEntryName(promise), question, engine });
}

/** The name of the entry of an objective. */
export function objectiveEntryName({ name }: Promised): string {
  return `objective/${name}`;
}

/** What is promised, after "that". */
function wordsOf({ subject, measure, share, bound }: Promised): string {
  if (measure === "errors") return `at most ${percent(bound)} of ${subject} are errors`;
  const what: Readonly<Record<typeof measure, string>> = {
    latency: `${subject} is answered`,
    queueDelay: `a job of ${subject} has waited in the queue`,
    completion: `a job of ${subject} is completed`,
    firstChunk: `a job of ${subject} has yielded its first chunk`,
  };
  const cases = share === 1 ? "always" : `in ${percent(share)} of cases`;
  return `${what[measure]} within ${timeText(bound)} ${cases}`;
}

type Judged = Pick<JudgedLoad, "verdict" | "answer" | "figures"> & Pick<LoadResult, "reason">;

function undecided(reason: string, figures: LoadResult["figures"]): Judged {
  return { figures, ...notAnswered("inconclusive", reason) };
}

function judgeTimes(
  { share, bound }: Objective,
  { values, lateMs }: ObjectiveValues,
  startMs: number,
): Judged {
  const least = Float64Array.from(values, (value) => value.leastMs).toSorted();
  const most = Float64Array.from(values, (value) => value.mostMs).toSorted();
  const [from = 0, to = 0] = [nearestRank(least, share), nearestRank(most, share)];
  const over = spansOver(
    values.filter(({ leastMs }) => leastMs > bound),
    startMs,
  );
  const figures = {
    values: values.length,
    "bound ms": bound,
    "measured ms": rounded(to),
    "median ms": rounded(nearestRank(most, 0.5) ?? 0),
    ...(over !== "" && { "over the bound at": over }),
  };
  const needed = share === 1 ? 1 : Math.ceil(1 / (1 - share));
  if (values.length < needed) {
    return undecided(
      `${values.length} values were measured, and ${needed} are needed for ${percent(share)}; a longer --duration has more`,
      figures,
    );
  }
  if (isTooLate(lateMs, bound)) {
    return undecided(
      `the generator itself was ${timeText(lateMs)} late; a machine at rest, or a smaller --scale, would keep it up`,
      figures,
    );
  }
  const got = timeText(to);
  if (to <= bound) return { verdict: "pass", figures, answer: `Yes: it was ${got}.` };
  if (from <= bound) {
    return undecided(
      `it lies between ${timeText(from)} and ${got}, as exactly as it could be measured`,
      figures,
    );
  }
  const when = over === "" ? "" : `; over the bound at ${over}`;
  const reason = `${percent(share)} took up to ${got}, and at most ${timeText(bound)} was promised${when}`;
  return { verdict: "fail", figures, reason, answer: `No: ${reason}.` };
}

function judgeErrors(
  { bound }: Objective,
  { errorsAtMs, requests }: ObjectiveValues,
  startMs: number,
): Judged {
  const share = requests === 0 ? 0 : errorsAtMs.length / requests;
  const at = spansOver(
    errorsAtMs.map((atMs) => ({ atMs })),
    startMs,
  );
  const figures = {
    requests,
    errors: errorsAtMs.length,
    "bound %": bound * 100,
    "measured %": rounded(share * 100),
    ...(at !== "" && { "errors at": at }),
  };
  const needed = bound === 0 ? 1 : Math.ceil(1 / bound);
  if (requests < needed && share <= bound) {
    return undecided(
      `${requests} requests were sent, and ${needed} are needed to tell ${percent(bound)}; a longer --duration has more`,
      figures,
    );
  }
  if (share <= bound)
    return { verdict: "pass", figures, answer: `Yes: ${errorsAtMs.length} of ${requests}.` };
  const reason = `${errorsAtMs.length} of ${requests} (${percent(share)}) were errors, and at most ${percent(bound)} was promised; at ${at}`;
  return { verdict: "fail", figures, reason, answer: `No: ${reason}.` };
}

const apartMs = 1_000;
const spansMax = 8;

/** The spans of time in which something happened, in seconds from the start: `2.1–3.4 s, 7.0 s`. */
function spansOver(events: readonly { readonly atMs: number }[], startMs: number): string {
  const spans: [number, number][] = [];
  for (const { atMs } of events.toSorted((one, other) => one.atMs - other.atMs)) {
    const last = spans.at(-1);
    if (last !== undefined && atMs - last[1] <= apartMs) last[1] = atMs;
    else spans.push([atMs, atMs]);
  }
  const texts = spans.slice(0, spansMax).map(([fromMs, toMs]) => {
    const [from, to] = [fromMs, toMs].map((ms) => ((ms - startMs) / 1_000).toFixed(1));
    return from === to ? `${from ?? ""} s` : `${from ?? ""}–${to ?? ""} s`;
  });
  const left = spans.length - texts.length;
  return [...texts, ...(left > 0 ? [`${left} more`] : [])].join(", ");
}

function percent(share: number): string {
  return `${Number((share * 100).toFixed(3))} %`;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A time, rounded up so that what is over a bound never reads as the bound. */
function timeText(ms: number): string {
  if (ms >= Number.MAX_SAFE_INTEGER) return "no answer";
  if (ms >= 1_000) return durationText(Math.ceil(ms));
  return `${ms < 10 ? Math.ceil(ms * 10) / 10 : Math.ceil(ms)} ms`;
}
