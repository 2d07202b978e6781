import { code, table } from "../kill-matrix/kill-matrix-page.ts";

/** A mutant, and what the suite found of it. */
export interface TriedMutant {
  /** From the root of the project. */
  readonly file: string;
  readonly line: number;
  /** The mutated expression, and what stood in its place. */
  readonly original: string;
  readonly replacement: string;
  /** What Stryker calls what became of it: Killed, Timeout, Survived, NoCoverage, RuntimeError. */
  readonly status: string;
  /** What the suite says of it: the first requirement that failed, or was not decided. */
  readonly reason?: string;
}

/** A mutant that no check can find, and why. */
export interface Accepted {
  readonly file: string;
  /** The mutated expression as it stands in the file, white space made one. */
  readonly original: string;
  readonly replacement: string;
  readonly why: string;
}

/** What became of the mutants, and which of those that live have nobody's reason. */
export interface Judged {
  readonly caught: readonly TriedMutant[];
  readonly accepted: readonly (TriedMutant & { readonly why: string })[];
  readonly open: readonly TriedMutant[];
  /** Reasons that are given for mutants that the suite finds, or that are no longer there. */
  readonly stale: readonly Accepted[];
}

const caughtStatuses: ReadonlySet<string> = new Set(["Killed", "Timeout", "RuntimeError"]);

/** Sets apart what the suite caught, what it cannot catch for a known reason, and what escaped. */
export function judgeMutants(
  mutants: readonly TriedMutant[],
  acceptedMutants: readonly Accepted[],
): Judged {
  const caught = mutants.filter(({ status }) => caughtStatuses.has(status));
  const alive = mutants.filter(({ status }) => !caughtStatuses.has(status));
  const whyOf = new Map(acceptedMutants.map((accepted) => [keyOf(accepted), accepted.why]));
  const aliveKeys = new Set(alive.map((mutant) => keyOf(mutant)));
  const files = new Set(mutants.map(({ file }) => file));
  return {
    caught,
    accepted: alive.flatMap((mutant) => {
      const why = whyOf.get(keyOf(mutant));
      return why === undefined ? [] : [{ ...mutant, why }];
    }),
    open: alive.filter((mutant) => !whyOf.has(keyOf(mutant))),
    stale: acceptedMutants.filter(
      (accepted) => files.has(accepted.file) && !aliveKeys.has(keyOf(accepted)),
    ),
  };
}

function keyOf({ file, original, replacement }: Omit<Accepted, "why">): string {
  return [file, oneLine(original), oneLine(replacement)].join("\n");
}

/** One line of text, whatever the white space. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

export function mutantsSummary({ caught, accepted, open }: Judged): string {
  const counted = caught.length + open.length;
  const share = counted === 0 ? 100 : (100 * caught.length) / counted;
  return `${caught.length + accepted.length + open.length} mutants: ${caught.length} caught (${share.toFixed(1)} % of those that change what the API does), ${accepted.length} that change nothing a client can see, ${open.length} escaped`;
}

/** The page of Markdown: the figures of each file, and every mutant that lives. `mutated` is what was named, if any. */
export function mutantsPage(judged: Judged, mutated: readonly string[]): string {
  const { caught, accepted, open } = judged;
  const all = [...caught, ...accepted, ...open];
  const files = [...new Set(all.map(({ file }) => file))].toSorted();
  const undecided = caught.filter(({ reason = "" }) => / inconclusive, /.test(reason)).length;
  return `# Machine-made faults

Made by \`npm run mutants -- ${[...mutated, "--out docs/evidence/mutants.md"].join(" ")}\`. StrykerJS changes the code of the reference's core in one place at a time, and the suite is run against each such mutant, in process, on the virtual clock: first the checks of the contract that run the changed code, then, where limits are concerned, those of load. A mutant is caught where the run is not a pass: a requirement failed (or the mutant never answered), or could not be decided (${undecided} of them).

${mutantsSummary(judged)}.

${table(
  ["file", "caught", "change nothing", "escaped"],
  files.map((file) => [
    code(file),
    countIn(caught, file),
    countIn(accepted, file),
    countIn(open, file),
  ]),
)}

## Escaped

${mutantTable(open, () => "")}

## No client can see them

${mutantTable(accepted, ({ why }) => why)}
`;
}

function countIn(mutants: readonly TriedMutant[], file: string): string {
  return String(mutants.filter((mutant) => mutant.file === file).length);
}

function mutantTable<Mutant extends TriedMutant>(
  mutants: readonly Mutant[],
  why: (mutant: Mutant) => string,
): string {
  if (mutants.length === 0) return "None.";
  const rows = mutants.map((mutant) => [
    code(`${mutant.file}:${mutant.line}`),
    inTable(mutant.original),
    inTable(mutant.replacement),
    why(mutant),
  ]);
  return table(["place", "original", "in its place", "why"], rows);
}

function inTable(text: string): string {
  return code(oneLine(text).slice(0, 100).replaceAll("`", "'"));
}
