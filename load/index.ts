import type { Capability, RequirementId } from "../openapi/index.ts";
import { loadChecks } from "./requirements/checks.ts";

export { runRequirements } from "./requirements/run-requirements.ts";
export type {
  LoadCheckResult,
  LoadFigures,
  RequirementsOptions,
  RequirementsRun,
} from "./requirements/run-requirements.ts";
export type { LoadTarget } from "./requirements/load-session.ts";

/** The header of a load check, as it is listed, planned and shown while it runs. */
export interface LoadCheckSummary {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly Capability[];
  readonly realTimeMs: number;
  /** What it sends, roughly, and how many jobs that makes. */
  readonly requests: number;
  readonly jobs: number;
}

/** The header of every load check, in the order in which they run. */
export const loadCheckSummaries: readonly LoadCheckSummary[] = loadChecks.map(
  ({ name, title, covers, needs, realTimeMs, requests, jobs }) => ({
    name,
    title,
    covers: [covers],
    needs,
    realTimeMs,
    requests,
    jobs,
  }),
);
