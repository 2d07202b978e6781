import type { CheckHeader } from "../../harness/check.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { LoadCost } from "../sent-load.ts";
import type { Situation } from "./situation.ts";
import type { LoadFindings } from "./findings.ts";
import type { LoadSession } from "./load-session.ts";

/** A check of the areas rate and concurrency: data, and one function that runs it. */
export interface LoadCheck extends CheckHeader {
  /** Roughly what it sends to a target in this situation, for the plan. */
  readonly cost: (on: Situation) => LoadCost;
  /** How long it takes where all checks share one endpoint, without what they record together; absent: `realTimeMs`. */
  readonly sharedMs?: (on: Situation) => number;
  /**
   * The operation that it uses up. Where all checks share one endpoint, those of different operations run side by side,
   * after those that name none.
   */
  readonly usesUp?: OperationName | undefined;
  readonly run: (session: LoadSession, findings: LoadFindings) => Promise<void>;
}
