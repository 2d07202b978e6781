import { medianSorted, permutationTest } from "simple-statistics";

import { seededRandom } from "../../harness/random.ts";
import type { Report } from "../../reports/model.ts";

/** A figure of load in several runs on either side. Times are longer where they are worse. */
export interface FigureTest {
  readonly scenario: string;
  readonly figure: string;
  readonly runs: readonly [number, number];
  /** The median of each side. */
  readonly from: number;
  readonly to: number;
  /** How many times larger NEW is: the estimate, and between which bounds (95 %); absent with too few runs. */
  readonly ratio?: { readonly estimate: number; readonly least: number; readonly most: number };
  /** How likely so great a difference is by chance alone, by a permutation test. */
  readonly p?: number;
  readonly verdict: "slower" | "faster" | "no difference shown" | "too few runs";
}

/**
 * The unit is the run, since the samples of one run depend on each other: with fewer than this on either side nothing can
 * be told, because even the greatest difference would come about by chance more often than once in twenty.
 */
export const runsMin = 4;

const chance = 0.05;

/** Compares every time among the figures of load that runs on both sides have. */
export function testFigures(
  old: readonly Report[],
  next: readonly Report[],
): readonly FigureTest[] {
  const before = timesOf(old);
  return [...timesOf(next)].flatMap(([key, values]) => {
    const others = before.get(key);
    const [scenario = "", figure = ""] = key.split("\n");
    return others === undefined ? [] : [testOf({ scenario, figure }, others, values)];
  });
}

/** The values of each figure that is a time, one for each run. */
function timesOf(reports: readonly Report[]): ReadonlyMap<string, readonly number[]> {
  const values = new Map<string, number[]>();
  for (const { scenario, figures } of reports.flatMap(({ load }) => load)) {
    for (const [figure, value] of Object.entries(figures)) {
      if (typeof value !== "number" || value <= 0 || !isTime(figure)) continue;
      const key = `${scenario}\n${figure}`;
      values.set(key, [...(values.get(key) ?? []), value]);
    }
  }
  return values;
}

/** Bounds are no measurements, and how late the generator was says nothing of the target. */
function isTime(figure: string): boolean {
  return /\bms\b|Ms$/.test(figure) && !/^(?:bound|late|fault)\b/.test(figure);
}

function testOf(
  name: Pick<FigureTest, "scenario" | "figure">,
  old: readonly number[],
  next: readonly number[],
): FigureTest {
  const sides = {
    ...name,
    runs: [old.length, next.length] as const,
    from: medianOf(old),
    to: medianOf(next),
  };
  if (Math.min(old.length, next.length) < runsMin) return { ...sides, verdict: "too few runs" };
  const ratio = ratioOf(old, next);
  // Logarithms, because times differ by factors.
  const p = permutationTest(
    old.map(Math.log),
    next.map(Math.log),
    "two_side",
    permutations,
    seededRandom(1, `${name.scenario} ${name.figure}`),
  );
  const isShown = p <= chance && (ratio.least > 1 || ratio.most < 1);
  const verdict = ratio.estimate > 1 ? "slower" : "faster";
  return { ...sides, ratio, p, verdict: isShown ? verdict : "no difference shown" };
}

const permutations = 10_000;

/** The ratio of NEW to OLD by the median of all pairs (Hodges and Lehmann), with its 95 % interval by their ranks. */
function ratioOf(
  old: readonly number[],
  next: readonly number[],
): NonNullable<FigureTest["ratio"]> {
  const pairs = next
    .flatMap((to) => old.map((from) => to / from))
    .toSorted((one, other) => one - other);
  const [n, m] = [old.length, next.length];
  const left = Math.max(1, Math.floor((n * m) / 2 - 1.96 * Math.sqrt((n * m * (n + m + 1)) / 12)));
  const [least = 1, most = 1] = [pairs[left - 1], pairs[pairs.length - left]];
  return { estimate: medianSorted(pairs), least, most };
}

function medianOf(values: readonly number[]): number {
  return medianSorted(values.toSorted((one, other) => one - other));
}

/** A figure that is slower by at least this share, as far as its estimate says. */
export function isSlowerBy(test: FigureTest, share: number): boolean {
  return test.verdict === "slower" && (test.ratio?.estimate ?? 1) >= 1 + share;
}

/** What a test says, for people: `slower by 8 to 14 % (5 and 5 runs)`. */
export function figureTestText({
  verdict,
  ratio,
  runs: [old, next],
  from,
  to,
}: FigureTest): string {
  const medians = `${rounded(from)} -> ${rounded(to)}`;
  if (ratio === undefined) {
    return `${medians}  nothing can be told from ${old} and ${next} runs; ${runsMin} on each side can tell a difference`;
  }
  const bounds = [ratio.least, ratio.most].map((each) => Math.round(100 * (each - 1)));
  const [least = 0, most = 0] = bounds;
  const runs = `(${old} and ${next} runs)`;
  if (verdict === "slower") return `${medians}  slower by ${least} to ${most} % ${runs}`;
  if (verdict === "faster") return `${medians}  faster by ${-most} to ${-least} % ${runs}`;
  return `${medians}  no difference that these runs could show: ${signed(least)} to ${signed(most)} % ${runs}; more runs would narrow that`;
}

function signed(percent: number): string {
  return percent > 0 ? `+${percent}` : String(percent);
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
