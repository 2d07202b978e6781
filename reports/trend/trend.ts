import { compareText } from "../groups.ts";
import type { TrendEntry } from "./trend-entry.ts";

/** Reports in a row that say the same of something. */
export interface Stretch {
  /** The verdict, or undefined where those reports say nothing of it. */
  readonly verdict: string | undefined;
  /** The place of its first report, from 0, and how many there are. */
  readonly from: number;
  readonly count: number;
}

/** What reports say of a requirement or a profile, one after the other. */
export interface TrendStrip {
  readonly name: string;
  readonly text: string;
  readonly stretches: readonly Stretch[];
}

/** A figure over the reports: its value and, where it was taken of many samples, how far these spread. */
export interface TrendFigure {
  readonly name: string;
  readonly points: readonly {
    readonly at: number;
    readonly ms: number;
    /** The 90th percentile, where the value is a median. */
    readonly p90Ms?: number;
  }[];
}

export interface Trend {
  /** In the order of time. */
  readonly entries: readonly TrendEntry[];
  readonly profiles: readonly TrendStrip[];
  readonly requirements: readonly TrendStrip[];
  readonly figures: readonly TrendFigure[];
  /** What the latest reports that say something of it call failed, each with the first report that did so without a break. */
  readonly broken: readonly { readonly strip: TrendStrip; readonly since: TrendEntry }[];
}

/** Puts reports of one subject beside each other. */
export function trendOf(unordered: readonly TrendEntry[]): Trend {
  const entries = unordered.toSorted(
    (one, other) =>
      Date.parse(one.startedAt) - Date.parse(other.startedAt) || compareText(one.file, other.file),
  );
  const requirements = stripsOf(entries, ({ requirements: all }) =>
    all.map(({ id, text, verdict }) => ({ name: id, text, verdict })),
  );
  const profiles = stripsOf(entries, ({ profiles: all = [] }) =>
    all.map(({ name, verdict }) => ({ name, text: "", verdict })),
  );
  const broken = requirements.flatMap((strip) => {
    const from = brokenSince(strip);
    const since = from === undefined ? undefined : entries[from];
    return since === undefined ? [] : [{ strip, since }];
  });
  return { entries, profiles, requirements, figures: figuresOf(entries), broken };
}

interface Said {
  readonly name: string;
  readonly text: string;
  readonly verdict: string;
}

function stripsOf(
  entries: readonly TrendEntry[],
  saidIn: (entry: TrendEntry) => readonly Said[],
): readonly TrendStrip[] {
  const verdictsOf = new Map<string, (string | undefined)[]>();
  const texts = new Map<string, string>();
  for (const [at, entry] of entries.entries()) {
    for (const { name, text, verdict } of saidIn(entry)) {
      const row =
        verdictsOf.get(name) ?? Array.from<string | undefined>({ length: entries.length });
      row[at] = verdict;
      verdictsOf.set(name, row);
      texts.set(name, text);
    }
  }
  return Array.from(verdictsOf, ([name, row]) => ({
    name,
    text: texts.get(name) ?? "",
    stretches: stretchesOf(row),
  }));
}

function stretchesOf(row: readonly (string | undefined)[]): readonly Stretch[] {
  const stretches: { verdict: string | undefined; from: number; count: number }[] = [];
  for (const [at, verdict] of row.entries()) {
    const last = stretches.at(-1);
    if (last !== undefined && last.verdict === verdict) last.count += 1;
    else stretches.push({ verdict, from: at, count: 1 });
  }
  return stretches;
}

/** Since which report it fails; reports that did not decide it lie between, and neither break nor mend it. */
function brokenSince({ stretches }: TrendStrip): number | undefined {
  const decided = stretches.filter(({ verdict }) => verdict === "pass" || verdict === "fail");
  const lastPass = decided.findLastIndex(({ verdict }) => verdict === "pass");
  return decided.at(-1)?.verdict === "fail" ? decided[lastPass + 1]?.from : undefined;
}

function figuresOf(entries: readonly TrendEntry[]): readonly TrendFigure[] {
  const points = new Map<string, TrendFigure["points"][number][]>();
  for (const [at, entry] of entries.entries()) {
    for (const [name, value] of [...durationsOf(entry), ...timesOf(entry)]) {
      points.set(name, [...(points.get(name) ?? []), { at, ...value }]);
    }
  }
  // A single point is no curve.
  return Array.from(points, ([name, each]) => ({ name, points: each })).filter(
    (figure) => figure.points.length > 1,
  );
}

type Figures = readonly (readonly [string, { readonly ms: number; readonly p90Ms?: number }])[];

/** What was measured once in a run. */
function durationsOf({ command, durationMs, worker }: TrendEntry): Figures {
  const ofTests = (worker?.tests ?? []).flatMap(({ name, laterMs }) =>
    laterMs === null ? [] : [[`jobs of ${JSON.stringify(name)}`, { ms: laterMs }] as const],
  );
  return [
    [`duration of ${command}`, { ms: durationMs }],
    ...(worker === undefined
      ? []
      : [["cold start of the worker", { ms: worker.coldStartMs }] as const]),
    ...ofTests,
  ];
}

/** The times of answers of each series of load. */
function timesOf({ load }: TrendEntry): Figures {
  return load.flatMap(({ scenario, engine, series = [] }) =>
    series.flatMap(({ name, latency }) =>
      latency === undefined
        ? []
        : [
            [
              `${scenario} (${engine}), ${name}`,
              { ms: latency.p50Ms, p90Ms: latency.p90Ms },
            ] as const,
          ],
    ),
  );
}
