import { code, table } from "../kill-matrix/kill-matrix-page.ts";
import type { MutantChange } from "./mutant.ts";
import { explains, oneLine } from "./reason.ts";
import type { Reason } from "./reason.ts";

/** A mutant, and what the suite found of it. */
export interface TriedMutant extends MutantChange {
  /** What Stryker calls what became of it: Killed, Timeout, Survived, NoCoverage, RuntimeError. */
  readonly status: string;
  /** What the suite says of it: the first requirement that failed, or was not decided. */
  readonly reason?: string;
}

/** Why the mutants that were not caught live. */
export interface Reasons {
  /** For mutants that no client of the API can tell from the reference. */
  readonly unseen: readonly Reason[];
  /** For mutants that a client could see, and the suite does not. */
  readonly escaped: readonly Reason[];
}

type Explained = TriedMutant & { readonly why: string };

/** What became of the mutants. */
export interface Judged {
  readonly caught: readonly TriedMutant[];
  /** Those that no client can see. */
  readonly unseen: readonly Explained[];
  /** Those that a client could see; `why` is empty where nobody has said why they escape. */
  readonly escaped: readonly Explained[];
  /** Reasons for mutants that the suite finds, or that are no longer there. */
  readonly stale: readonly Reason[];
}

const caughtStatuses: ReadonlySet<string> = new Set(["Killed", "Timeout", "RuntimeError"]);

/** Sorts mutants into those the suite caught, those it cannot catch for a known reason, and those that escaped. */
export function judgeMutants(mutants: readonly TriedMutant[], reasons: Reasons): Judged {
  const caught = mutants.filter(({ status }) => caughtStatuses.has(status));
  const alive = mutants.filter(({ status }) => !caughtStatuses.has(status));
  const unseen: Explained[] = [];
  const escaped: Explained[] = [];
  const used = new Set<Reason>();
  for (const mutant of alive) {
    const ofUnseen = reasons.unseen.find((reason) => explains(reason, mutant));
    const reason = ofUnseen ?? reasons.escaped.find((each) => explains(each, mutant));
    if (reason !== undefined) used.add(reason);
    const explained = { ...mutant, why: reason?.why ?? "" };
    (ofUnseen === undefined ? escaped : unseen).push(explained);
  }
  const files = new Set(mutants.map(({ file }) => file));
  const stale = [...reasons.unseen, ...reasons.escaped].filter(
    (reason) => files.has(reason.file) && !used.has(reason),
  );
  return { caught, unseen, escaped, stale };
}

export function mutantsSummary({ caught, unseen, escaped }: Judged): string {
  const counted = caught.length + escaped.length;
  const share = counted === 0 ? 100 : (100 * caught.length) / counted;
  return `${counted + unseen.length} mutants: ${caught.length} caught (${share.toFixed(1)} % of those that change what the API does), ${unseen.length} that change nothing a client can see, ${escaped.length} escaped`;
}

/** The page in Markdown: the figures of each file, and why mutants live. `mutated` are the named files, if any. */
export function mutantsPage(judged: Judged, mutated: readonly string[]): string {
  const { caught, unseen, escaped } = judged;
  const files = [...new Set([...caught, ...unseen, ...escaped].map(({ file }) => file))].toSorted();
  const undecided = caught.filter(({ reason = "" }) => / inconclusive, /.test(reason)).length;
  const unanswered = caught.filter(({ status }) => status === "Timeout").length;
  return `# Machine-made faults

Made by \`npm run mutants -- ${[...mutated, "--out docs/evidence/mutants.md"].join(" ")}\`. StrykerJS changes the code of the reference's core in one place at a time, and the suite is run against each such mutant, in process, on the virtual clock: first the checks of the contract that run the changed code, then, where limits are concerned, those of load. A mutant is caught where the run is not a pass: a requirement failed, the mutant never came to an end (${unanswered} of them), or nothing could be decided (${undecided}). What finds a mutant has to find it a second time, and nothing without it. \`--kept\` stands for runs of one or a few files each.

${mutantsSummary(judged)}.

${table(
  ["file", "caught", "change nothing", "escaped"],
  files.map((file) => [
    code(file),
    countIn(caught, file),
    countIn(unseen, file),
    countIn(escaped, file),
  ]),
)}

## Escaped

${escapedTable(escaped)}

## No client can see them

What they change no answer shows, or the specification leaves open. \`--again\` runs them; else the reason is taken for granted.

${unseenTable(unseen)}
`;
}

function countIn(mutants: readonly TriedMutant[], file: string): string {
  return String(mutants.filter((mutant) => mutant.file === file).length);
}

function escapedTable(mutants: readonly Explained[]): string {
  if (mutants.length === 0) return "None.";
  const rows = mutants.map(({ file, line, original, replacement, why }) => [
    code(`${file}:${line}`),
    inTable(original),
    inTable(replacement),
    why,
  ]);
  return table(["place", "original", "in its place", "why"], rows);
}

/** One row for each reason in each file, so that the same sentence need not be read for every line. */
function unseenTable(mutants: readonly Explained[]): string {
  if (mutants.length === 0) return "None.";
  const alike = new Map<string, Explained[]>();
  for (const mutant of mutants) {
    const key = `${mutant.file}\n${mutant.why}`;
    alike.set(key, [...(alike.get(key) ?? []), mutant]);
  }
  const rows = [...alike.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    const lines = [...new Set(some.map(({ line }) => line))].toSorted((a, b) => a - b);
    return [[code(first.file), lines.join(", "), String(some.length), first.why]];
  });
  return table(["file", "lines", "mutants", "why"], rows);
}

function inTable(text: string): string {
  return code(oneLine(text).slice(0, 100).replaceAll("`", "'"));
}
