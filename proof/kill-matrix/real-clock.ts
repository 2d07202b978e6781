import { isOfLoad } from "../../openapi/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { faults as allFaults } from "../../reference/index.ts";
import { variations } from "../../reference/variations.ts";
import { code, table } from "./kill-matrix-page.ts";
import { idsWith } from "./proof.ts";
import type { FaultTrial, PageRow, Proof } from "./proof.ts";
import { chosen } from "./selection.ts";
import type { SuiteRun } from "./suite-job.ts";
import { tryEach } from "./suite-pool.ts";

/** Several runs share a core, since each spends most of its time waiting. */
const pool = { processes: 2, suitesEach: 4, suiteMsMax: 1_800_000 } as const;

/** The requirements that a limiter decides. Caps, and operations that are counted together, are left to the faults. */
const ofLimiters: readonly RequirementId[] = [
  "RATE-01",
  "RATE-02",
  "RATE-03",
  "RATE-04",
  "RATE-05",
  "RATE-06",
  "RATE-07",
  "RATE-08",
  "RATE-09",
  "RATE-14",
];

const takesTooLong = "it shows after minutes or hours, which only a clock that is advanced has";

/** Faults that no run on a real clock can show, with the reason. */
const onVirtualClockAlone: ReadonlyMap<string, string> = new Map([
  ["rate/opens-after-ten-windows", takesTooLong],
  ["rate/opens-after-an-hour", takesTooLong],
  [
    "rate/purge-queue-apart-by-authorization",
    "two places come back too soon for anybody to tell whose they were",
  ],
]);

/** Runs the faults of rates and caps and the permitted kinds of limiter, each on a real clock of its own. */
export async function proveOnRealClock(
  only: readonly string[],
  onRun: (total: number) => void,
): Promise<Proof> {
  const faults = chosen(allFaults, only, ({ breaks }) => breaks).filter(
    ({ name, breaks }) => breaks.every((id) => isOfLoad(id)) && !onVirtualClockAlone.has(name),
  );
  const limiters = chosen(variations, only, () => []).filter(({ name }) =>
    name.startsWith("limits/"),
  );
  const items = [...faults, ...limiters];
  const tried = await tryEach(
    items,
    (item) =>
      "breaks" in item
        ? { kind: "fault on a real clock", name: item.name, requirements: item.breaks }
        : { kind: "variation on a real clock", name: item.name, requirements: ofLimiters },
    { onRun: () => onRun(items.length), ...pool },
  );
  return proofOf(
    tried.flatMap(({ item, run }) => ("breaks" in item ? [{ fault: item, run }] : [])),
    tried.flatMap(({ item, run }) => ("breaks" in item ? [] : [{ name: item.name, run }])),
  );
}

interface LimiterTrial {
  readonly name: string;
  readonly run: SuiteRun;
}

/** Sums up the runs. A fault about which nothing could be decided counts as not shown, and is no problem. */
export function proofOf(faults: readonly FaultTrial[], limiters: readonly LimiterTrial[]): Proof {
  const seen = faults.map((trial) => fateOf(trial));
  const kept = limiters.map((trial) => keptBy(trial));
  const caught = seen.filter(({ isCaught }) => isCaught).length;
  const clean = kept.filter(({ problems }) => problems.length === 0).length;
  const summary =
    `${seen.length} faults, ${caught} caught on a real clock; ` +
    `${kept.length} permitted limiters, ${clean} without a failure`;
  return {
    problems: [...seen, ...kept].flatMap(({ problems }) => problems),
    summary,
    page: pageOf(summary, [...seen], kept),
  };
}

function fateOf({
  fault: { name, breaks },
  run,
}: FaultTrial): PageRow & { readonly isCaught: boolean } {
  const { findings } = run;
  const failed = idsWith("fail", run);
  const isCaught = failed.length > 0;
  // An inconclusive verdict is honest; a pass of everything that the fault breaks is not.
  const isMissed = findings.length > 0 && findings.every(({ verdict }) => verdict === "pass");
  const word = isMissed ? "**missed**" : "not shown";
  const reasons = findings.flatMap(({ verdict, reason }) =>
    verdict === "pass" || reason === undefined ? [] : [reason],
  );
  return {
    isCaught,
    cells: [
      code(name),
      breaks.join(", "),
      isCaught ? failed.join(", ") : word,
      isCaught ? "" : (reasons[0] ?? ""),
    ],
    problems: [...brokenOf(name, run), ...(isMissed ? [`${name} was missed`] : [])],
  };
}

function keptBy({ name, run }: LimiterTrial): PageRow {
  const failed = run.findings.filter(({ verdict }) => verdict === "fail");
  const alarms = failed.map(
    ({ requirement, reason }) => `${name}: ${requirement} failed, ${reason ?? ""}`,
  );
  const passed = idsWith("pass", run).length;
  const open = idsWith("inconclusive", run).join(", ");
  return {
    cells: [
      code(name),
      alarms.length === 0 ? "no failure" : "**false alarm**",
      String(passed),
      open,
    ],
    problems: [...brokenOf(name, run), ...alarms],
  };
}

function brokenOf(name: string, run: SuiteRun): readonly string[] {
  if (run.failed !== undefined) return [`${name}: ${run.failed}`];
  const broke = run.findings.filter((finding) => finding.broke === true);
  return broke.map(({ check, reason }) => `${name}: ${check} broke, ${reason ?? ""}`);
}

function pageOf(summary: string, faults: readonly PageRow[], limiters: readonly PageRow[]): string {
  return `# Limits and caps on a real clock

Made by \`npm run faults -- --real-clock\`. Each fault of rates and caps is started for itself on a real
clock, with the control protocol but for the clock, eight at a time on one machine, and meets the checks of what it
breaks. It is caught when one of those fails; what could not be decided says so.

${summary}.

## Faults

${table(["fault", "breaks", "caught as", "why not"], sortedCells(faults))}

## Faults that no real clock shows

${table(
  ["fault", "why"],
  [...onVirtualClockAlone].map(([name, why]) => [code(name), why]),
)}

## Permitted limiters

What each decided of RATE-01 to RATE-09 and RATE-14.

${table(["limiter", "suite", "passed", "left open"], sortedCells(limiters))}
`;
}

function sortedCells(rows: readonly PageRow[]): readonly (readonly string[])[] {
  return rows
    .map(({ cells }) => cells)
    .toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
}
