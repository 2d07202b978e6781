import { alignedRows } from "../aligned-rows.ts";
import type { Capability } from "../../openapi/capabilities.ts";
import type { Judged } from "../../openapi/profiles.ts";
import { importChecks, listedRequirements } from "../catalogue.ts";
import type { ListedRequirement } from "../catalogue.ts";
import type { Io } from "../io.ts";
import { durationText } from "../../reports/words.ts";

export interface ListOptions {
  readonly json?: boolean;
  /** Lists the load scenarios in place of the requirements. */
  readonly scenarios?: boolean;
  /** Whose requirements are listed; absent: servers', with the load scenarios. */
  readonly catalogue?: Judged;
}

/** Prints the catalogue: as tables for people, or one of them as a JSON array for programs. */
export async function list(
  { json = false, scenarios = false, catalogue = "server" }: ListOptions,
  io: Io,
): Promise<number> {
  if (scenarios) return listScenarios(json, io);
  const requirements = listedRequirements(await importChecks(catalogue), catalogue);
  if (json) {
    io.write(`${JSON.stringify(requirements, null, 2)}\n`);
    return 0;
  }
  const head = ["ID", "LEVEL", "NEEDS", "REAL TIME", "CHECKS"];
  io.write(`${alignedRows([head, ...requirements.map(cellsOf)], io)}\n\n${totals(requirements)}\n`);
  if (catalogue !== "server") return 0;
  io.write("\n");
  return listScenarios(json, io);
}

/** Prints the scenarios that `load` can run by name. */
async function listScenarios(json: boolean, io: Io): Promise<number> {
  const { scenarioRows } = await import("../load-scenarios.ts");
  const rows = scenarioRows().map(({ choice: _choice, ...row }) => row);
  if (json) {
    io.write(`${JSON.stringify(rows, null, 2)}\n`);
    return 0;
  }
  const head = ["SCENARIO", "NEEDS", "SHARED BY", "REQUESTS", "JOBS", "TIME", "QUESTION"];
  const cells = rows.map(({ name, needs, sharedBy, requests, jobs, durationMs, question }) => [
    name,
    needs.join(", ") || "-",
    sharedBy.join(", ") || "-",
    String(requests),
    String(jobs),
    durationText(Math.ceil(durationMs / 1_000) * 1_000),
    question,
  ]);
  const end =
    "`queueproof load NAME` runs one; the figures are the most it costs, on a real clock, and some seconds " +
    "to start and to report. Shared by: --segment I/N on several machines, --distributed k8s in a cluster.";
  io.write(`${alignedRows([head, ...cells], io)}\n\n${end}\n`);
  return 0;
}

function cellsOf({ id, level, needs, realTimeMs, checks }: ListedRequirement): readonly string[] {
  return [
    id,
    level,
    needs.join(", ") || "-",
    realTimeMs === 0 ? "-" : durationText(realTimeMs),
    checks.map((check) => nameOf(check, needs)).join(", ") || "none yet",
  ];
}

/** Names a check, and adds what it needs where that differs from the needs of its requirement. */
function nameOf(
  { name, needs }: ListedRequirement["checks"][number],
  usual: readonly Capability[],
): string {
  if (needs.length === usual.length && needs.every((need) => usual.includes(need))) return name;
  return `${name} (${needs.length === 0 ? "needs nothing" : needs.join(", ")})`;
}

function totals(requirements: readonly ListedRequirement[]): string {
  const checked = requirements.filter(({ checks }) => checks.length > 0).length;
  const names = new Set(requirements.flatMap(({ checks }) => checks.map(({ name }) => name)));
  return (
    `${requirements.length} requirements, ${checked} of them with a check; ${names.size} checks. ` +
    "`queueproof explain ID` tells more of one."
  );
}
