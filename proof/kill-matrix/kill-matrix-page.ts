import { markdownTable } from "markdown-table";
import type { KillMatrix } from "./kill-matrix.ts";

/** The matrix in one line: `200 faults, 200 killed, 0 survived; 250 checks, 250 proved`. */
export function matrixSummary({ faults, checks }: KillMatrix): string {
  const killed = faults.filter(({ fate }) => fate === "killed").length;
  const proved = checks.filter(({ provedBy }) => provedBy.length > 0).length;
  const survived = faults.length - killed;
  return `${faults.length} faults, ${killed} killed, ${survived} survived; ${checks.length} checks, ${proved} proved`;
}

/** The matrix as a page of Markdown. Equal matrices give equal pages. */
export function matrixPage(matrix: KillMatrix): string {
  const faults = matrix.faults.map((row) => [
    code(row.name),
    row.describe,
    row.breaks.join(", "),
    row.fate === "killed" ? row.caughtAs.join(", ") : `**${row.fate}**`,
    row.caughtBy.map(code).join(", "),
    row.also.join(", "),
  ]);
  const checks = matrix.checks.map(({ name, provedBy }) => [
    code(name),
    String(provedBy.length),
    provedBy.length === 0 ? "**none**" : provedBy.slice(0, shownFaults).map(code).join(", "),
  ]);
  return `# Kill matrix

Made by \`npm run faults\`. \`npm run faults -- --check\` runs against each fault one of the checks that
caught it, and each check against a fault at least; it fails where one finds nothing or a row is missing. Each fault is
a bug in the embedded reference, started for it alone, and met the checks of every requirement that it
breaks, on the virtual clock; where these find nothing, it meets the whole suite (\`--whole\`: always).
It is killed when a requirement that it breaks fails.

${matrixSummary(matrix)}.

## Faults

${table(["fault", "what is wrong", "breaks", "caught as", "caught by", "failed too"], faults)}

## Checks

Each check with the number of faults it caught under the right name, and the first of them.

${table(["check", "faults", "among them"], checks)}
`;
}

/** How many faults a row of a check names; more would only make the page long. */
const shownFaults = 3;

/** Reads from a page the checks that caught each fault; a fault that survived is left out. */
export function checksThatCaught(page: string): ReadonlyMap<string, readonly string[]> {
  const [faults = ""] = page.split("\n## Checks");
  const rows = faults.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(
    rows.flatMap((row) => {
      const [, fault = "", , , , caughtBy = ""] = row
        .split(/(?<!\\)\|/u)
        .map((cell) => cell.trim());
      const names = [...caughtBy.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name);
      return names.length === 0 ? [] : [[fault.replaceAll("`", ""), names] as const];
    }),
  );
}

/** Makes a table without padding, so that one long cell does not change every line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll("|", String.raw`\|`)),
  );
  return markdownTable(cells, { alignDelimiters: false });
}

export function code(text: string): string {
  return `\`${text}\``;
}
