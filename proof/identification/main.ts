import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

import { markdownTable } from "markdown-table";

import type { Declared } from "../../load/limiters/kind.ts";
import { isToldApart, limiterKinds } from "../../load/limiters/kinds.ts";
import { isNamed, judge } from "./judge.ts";
import type { IdentificationJudgement } from "./judge.ts";
import { runTraces } from "./run-traces.ts";
import type { Conditions, TraceOutcome, TrueLimiter } from "./run-traces.ts";

/** The kinds of which every combination of limit and window is tried. */
const kinds = limiterKinds.filter(isToldApart).map(({ name }) => name);
const others = limiterKinds.filter((kind) => !isToldApart(kind)).map(({ name }) => name);

const declared = { limit: 1_000, windowMs: 10_000 };
function truthOf(kind: string, { limit, windowMs }: Declared): TrueLimiter {
  return { kind, limit, windowMs };
}

const matrix: readonly TrueLimiter[] = [
  ...kinds.flatMap((kind) =>
    [999, 1_000, 1_001].flatMap((limit) =>
      [9_000, 10_000, 11_000].map((windowMs) => ({ kind, limit, windowMs })),
    ),
  ),
  ...others.map((kind) => truthOf(kind, declared)),
];
/** The bursts of traces that start this far apart never meet. */
const staggerMs = 1_350;

/** The largest limit of the table: that of status, stream and runsync. */
const largest = { limit: 2_000, windowMs: 10_000 };
const matrixOfLargest: readonly TrueLimiter[] = kinds.flatMap((kind) =>
  [-1, 0, 1].map((more) => truthOf(kind, { ...largest, limit: largest.limit + more })),
);

const runsOfEach = 20;
const quiet = { declared, latencyMs: 0, isBusy: false, staggerMs };
const repeated: readonly Conditions[] = [
  { ...quiet, name: "as it is" },
  { ...quiet, name: "50 ms of latency", latencyMs: 50 },
  { ...quiet, name: "a busy loop on every core", isBusy: true },
];

const pagePath = fileURLToPath(new URL("../../docs/evidence/identification.md", import.meta.url));

const loadAverage = (loadavg()[0] ?? 0).toFixed(1);

/** Measures how well limiters are identified on a real clock, and writes docs/evidence/identification.md. */
async function main(): Promise<void> {
  const startedMs = performance.now();
  const ofMatrix = await runTraces(matrix, { ...quiet, name: "matrix" });
  const matrixMs = performance.now() - startedMs;
  process.stdout.write(`${matrixTable(ofMatrix)}\n\n`);
  const ofLargest = await runTraces(matrixOfLargest, { ...quiet, name: "", declared: largest });
  process.stdout.write(`${matrixTable(ofLargest)}\n\n`);
  const rows: string[][] = [];
  for (const conditions of repeated) {
    rows.push(...(await repeatedRows(conditions)));
    const tookMs = performance.now() - startedMs;
    await writeFile(pagePath, pageOf({ ofMatrix, ofLargest, matrixMs, rows, tookMs }));
  }
  const wrong = count([...ofMatrix, ...ofLargest], "wrong");
  const wrongRepeated = rows.reduce((sum, row) => sum + Number(row[4]), 0);
  if (wrong + wrongRepeated > 0) process.exitCode = 1;
}

/** Runs each kind twenty times under these conditions, and returns the rows. */
async function repeatedRows(conditions: Conditions): Promise<string[][]> {
  const truths = Array.from({ length: runsOfEach }, () => kinds).flat();
  const outcomes = await runTraces(
    truths.map((kind) => truthOf(kind, declared)),
    conditions,
  );
  process.stdout.write(`${conditions.name}: ${countsOf(outcomes)}\n`);
  return kinds.map((kind) => repeatedRow(conditions.name, kind, outcomes));
}

/** Prints the twenty runs of each kind under the named conditions only, and writes nothing. */
async function printRepeated(names: readonly string[]): Promise<void> {
  for (const conditions of repeated.filter(({ name }) => names.includes(name))) {
    process.stdout.write(`${markdownTable([repeatedHead, ...(await repeatedRows(conditions))])}\n`);
  }
}

function count(outcomes: readonly TraceOutcome[], which: IdentificationJudgement): number {
  return outcomes.filter((outcome) => judge(outcome) === which).length;
}

/** The same outcome, identified without the last burst. */
function beforeSilence(outcome: TraceOutcome): TraceOutcome {
  return { ...outcome, identification: outcome.beforeSilence };
}

function countsOf(outcomes: readonly TraceOutcome[]): string {
  const of = (which: IdentificationJudgement): string => `${count(outcomes, which)} ${which}`;
  return [of("right"), of("inconclusive"), of("wrong")].join(", ");
}

const repeatedHead = [
  "conditions",
  "kind",
  "right",
  "inconclusive",
  "wrong",
  "named",
  "latest, ms",
  "longest, ms",
];

function repeatedRow(name: string, kind: string, all: readonly TraceOutcome[]): string[] {
  const outcomes = all.filter(({ truth }) => truth.kind === kind);
  const counts = (["right", "inconclusive", "wrong"] as const).map((which) =>
    String(count(outcomes, which)),
  );
  const named = String(outcomes.filter((outcome) => isNamed(outcome, declared)).length);
  const late = Math.max(...outcomes.map(({ lateMaxMs }) => lateMaxMs));
  const latency = Math.max(...outcomes.map(({ latencyMaxMs }) => latencyMaxMs));
  return [name, kind, ...counts, named, late.toFixed(0), latency.toFixed(0)];
}

function matrixTable(outcomes: readonly TraceOutcome[]): string {
  const rows = outcomes.map((outcome) => {
    const { truth, identification, requests, latencyMaxMs } = outcome;
    const { best, remaining, window } = identification;
    const [runnerUp] = identification.others;
    const limits = remaining.map(({ limits: { least, most } }) =>
      least === most ? String(least) : `${least} to ${most}`,
    );
    return [
      `${truth.kind}, ${truth.limit} in ${truth.windowMs / 1_000} s`,
      judge(outcome),
      judge(beforeSilence(outcome)),
      remaining.map(({ kind }) => kind).join(" or ") || best.kind,
      limits.join(" or "),
      window === undefined ? "" : `${inS(window.shortestMs)} to ${inS(window.longestMs)}`,
      runnerUp === undefined ? "" : `${runnerUp.kind} (${runnerUp.differences})`,
      String(requests),
      latencyMaxMs.toFixed(0),
    ];
  });
  const head = [
    "limiter",
    "verdict",
    "before the silence",
    "kinds that explain everything",
    "limit",
    "window, s",
    "runner-up (differences)",
    "requests",
    "longest answer, ms",
  ];
  return markdownTable([head, ...rows]);
}

function inS(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}

const leastRequests = 2 * (largest.limit + 1);

/** How many times the least possible number of requests the median trace sent. */
function timesLeast(outcomes: readonly TraceOutcome[]): string {
  const sent = outcomes.map(({ requests }) => requests).toSorted((one, other) => one - other);
  return ((sent[Math.floor(sent.length / 2)] ?? 0) / leastRequests).toFixed(1);
}

interface Measured {
  readonly ofMatrix: readonly TraceOutcome[];
  readonly ofLargest: readonly TraceOutcome[];
  readonly matrixMs: number;
  readonly rows: readonly string[][];
  readonly tookMs: number;
}

function pageOf({ ofMatrix, ofLargest, matrixMs, rows, tookMs }: Measured): string {
  return `<!-- Generated by \`npm run identify\`. -->

# How well limiters are identified on a real clock

Small servers over real HTTP, their limiters written by other means than the models (\`test/load/rules.ts\`), all in one process, the probe in another, the identification in a third, on the same machine (${availableParallelism()} cores, load average ${loadAverage} before it began: what else runs makes answers late, and late answers leave more open); traces are recorded side by side, each begun a while after the one before. What the probe is told is the declared limit and window, not the true ones.

- **right**: the kind is the only one that explains every answer, and limit and window are the true ones.
- **inconclusive**: the true limiter explains every answer, and so does another: no verdict is based on it.
- **wrong**: what explains the trace does not include the true limiter.

## Every kind, limit and window

Declared are ${declared.limit} in ${declared.windowMs / 1_000} s. ${countsOf(ofMatrix)}; ${minutes(matrixMs)} minutes for all. By what was seen before the silence alone: ${countsOf(ofMatrix.map((one) => beforeSilence(one)))}.

${matrixTable(ofMatrix)}

The window is what the trace bounds it to, whole seconds apart from that. A runner-up with 0 differences explains the trace too.

## The largest limit

Declared are ${largest.limit} in ${largest.windowMs / 1_000} s. ${countsOf(ofLargest)}; before the silence ${countsOf(ofLargest.map((one) => beforeSilence(one)))}.

${matrixTable(ofLargest)}

What is seen before the silence takes 2.7 windows. A prober that knew what it would find needs two exhaustions, ${leastRequests} requests: one for the limit, one for how much came free since. A trace sends ${timesLeast(ofLargest)} times as many: a third exhaustion after the silence, which the limit of a counter that slides needs, and some requests between, by which kinds differ.

## Twenty runs of each kind

The declared limit and window are the true ones. \`named\` are the runs that no other kind explains with about the declared limit and window, whatever is left open of its own. \`latest\` is the most that a request was sent after its time, \`longest\` the longest answer.

${markdownTable([repeatedHead, ...rows])}

With 50 ms of latency a bucket of 1000 in 10 s fills by five while one answer is on its way: nobody outside can know its limit better than that, whatever is sent.

All of it took ${minutes(tookMs)} minutes.
`;
}

const [, , ...names] = process.argv;
await (names.length === 0 ? main() : printRepeated(names));
