import { requirements } from "../../openapi/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { faults as allFaults } from "../../reference/index.ts";
import type { Fault } from "../../reference/index.ts";
import { variations } from "../../reference/variations.ts";
import { code, table } from "./kill-matrix-page.ts";
import { chosen } from "./selection.ts";
import type { Finding, Subject, SuiteRun } from "./suite-job.ts";
import { runSuites } from "./suite-pool.ts";

/** How much of the proof of limits and caps holds on a real clock. */
export interface RealClockProof {
  /** Permitted limiters that failed, faults that every check passed, and runs that broke. */
  readonly problems: readonly string[];
  readonly summary: string;
  readonly page: string;
}

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
): Promise<RealClockProof> {
  const faults = chosen(allFaults, only, ({ breaks }) => breaks).filter(
    (fault) => isOfLoad(fault) && !onVirtualClockAlone.has(fault.name),
  );
  const limiters = chosen(variations, only, () => []).filter(({ name }) =>
    name.startsWith("limits/"),
  );
  const subjects = [
    ...faults.map(({ name, breaks }): Subject => {
      return { kind: "fault on a real clock", name, requirements: breaks };
    }),
    ...limiters.map(({ name }): Subject => {
      return { kind: "variation on a real clock", name, requirements: ofLimiters };
    }),
  ];
  const runs = await runSuites(subjects, () => onRun(subjects.length), pool);
  return proofOf(
    faults.map((fault, at) => ({ fault, run: runs[at] })),
    limiters.map(({ name }, at) => ({ name, run: runs[faults.length + at] })),
  );
}

interface FaultTrial {
  readonly fault: Pick<Fault, "name" | "breaks">;
  readonly run: SuiteRun | undefined;
}

interface LimiterTrial {
  readonly name: string;
  readonly run: SuiteRun | undefined;
}

/** Sums up the runs. A fault about which nothing could be decided counts as not shown, and is no problem. */
export function proofOf(
  faults: readonly FaultTrial[],
  limiters: readonly LimiterTrial[],
): RealClockProof {
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

function isOfLoad({ breaks }: Fault): boolean {
  return breaks.every((id) => ["rate", "concurrency"].includes(requirements[id].area));
}

interface Row {
  readonly cells: readonly string[];
  readonly problems: readonly string[];
}

function fateOf({
  fault: { name, breaks },
  run,
}: FaultTrial): Row & { readonly isCaught: boolean } {
  const findings = run?.findings ?? [];
  const failed = idsOf(findings, "fail");
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

function keptBy({ name, run }: LimiterTrial): Row {
  const findings = run?.findings ?? [];
  const failed = findings.filter(({ verdict }) => verdict === "fail");
  const alarms = failed.map(
    ({ requirement, reason }) => `${name}: ${requirement} failed, ${reason ?? ""}`,
  );
  const passed = idsOf(findings, "pass").length;
  const open = idsOf(findings, "inconclusive").join(", ");
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

function brokenOf(name: string, run: SuiteRun | undefined): readonly string[] {
  if (run === undefined || run.failed !== undefined)
    return [`${name}: ${run?.failed ?? "not run"}`];
  const broke = run.findings.filter((finding) => finding.broke === true);
  return broke.map(({ check, reason }) => `${name}: ${check} broke, ${reason ?? ""}`);
}

function idsOf(findings: readonly Finding[], verdict: Finding["verdict"]): readonly string[] {
  const ids = findings.filter((one) => one.verdict === verdict).map((one) => one.requirement);
  return [...new Set(ids)].toSorted();
}

function pageOf(summary: string, faults: readonly Row[], limiters: readonly Row[]): string {
  const rowsOf = (rows: readonly Row[]): readonly (readonly string[])[] =>
    rows.map(({ cells }) => cells).toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));
  return `# Limits and caps on a real clock

Made by \`npm run faults -- --real-clock\`. Each fault of rates and caps is started for itself on a real
clock, with the control protocol but for the clock, eight at a time on one machine, and meets the checks of what it
breaks. It is caught when one of those fails; what could not be decided says so.

${summary}.

## Faults

${table(["fault", "breaks", "caught as", "why not"], rowsOf(faults))}

## Faults that no real clock shows

${table(
  ["fault", "why"],
  [...onVirtualClockAlone].map(([name, why]) => [code(name), why]),
)}

## Permitted limiters

What each decided of RATE-01 to RATE-09 and RATE-14.

${table(["limiter", "suite", "passed", "left open"], rowsOf(limiters))}
`;
}
