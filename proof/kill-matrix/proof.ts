import type { RequirementId } from "../../openapi/requirements.ts";
import type { Fault } from "../../reference/faults.ts";
import type { KeptEvidence } from "./evidence-file.ts";
import type { Finding, SuiteRun } from "./suite-job.ts";

/** What a proof came to: its problems, one line each, its summary, and what is kept of it. */
export interface Proof {
  readonly problems: readonly string[];
  readonly summary: string;
  /** Absent where nothing is kept. */
  readonly evidence?: KeptEvidence;
}

/** A fault and what a run of the suite against it found. */
export interface FaultTrial {
  readonly fault: Pick<Fault, "name" | "breaks">;
  readonly run: SuiteRun;
}

/** What became of a fault; `why` is absent where it was caught. */
export interface FaultFate {
  readonly name: string;
  readonly why?: string;
  readonly problems: readonly string[];
}

/** The requirements of which a run had this verdict, sorted. */
export function idsWith(
  wanted: Finding["verdict"],
  { findings }: SuiteRun,
): readonly RequirementId[] {
  const ids = findings.filter(({ verdict }) => verdict === wanted).map((one) => one.requirement);
  return [...new Set(ids)].toSorted();
}

/** The requirements that a fault breaks and that failed, sorted. */
export function caughtAs({ fault, run }: FaultTrial): readonly RequirementId[] {
  return idsWith("fail", run).filter((id) => fault.breaks.includes(id));
}
