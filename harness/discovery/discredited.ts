import type { OperationName } from "../../openapi/operations.ts";
import { operationOf } from "../../reports/failing-evidence.ts";
import type { Evidence } from "../../reports/model.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { RequirementResult } from "../judge.ts";
import type { Discovery, Learning } from "./discovery.ts";
import { isSuccessOf } from "./shown-by.ts";

/** An operation by which checks of others look at the target, and what says by itself that its answers are right. */
interface Witness {
  readonly operation: OperationName;
  readonly area: string;
  readonly text: string;
  readonly own: ReadonlySet<RequirementId>;
  /** Reasons of what was not decided because of what it answered. */
  readonly undecides: RegExp;
}

const witnesses: readonly Witness[] = [
  {
    operation: "health",
    area: "health/",
    text: "health counts wrongly where jobs are only submitted and processed",
    own: new Set(["HLTH-01", "HLTH-02", "HLTH-03", "HLTH-04", "HLTH-05"]),
    undecides: /other jobs? waits? in the queue|health counted|health shows/,
  },
  {
    operation: "stream",
    area: "stream/",
    text: "stream answers other chunks than the handler yields where jobs are only submitted and processed",
    own: new Set(["STRM-01", "STRM-02", "STRM-03", "STRM-04", "STRM-05"]),
    undecides: /\bstream answered\b/,
  },
];

/**
 * Learns, after the last check, that answers of an operation prove nothing against others: its own checks have shown them
 * to be wrong where nothing else was done to a job. So the order of checks changes no verdict.
 */
export function learnDiscredited(
  discovery: Discovery,
  results: readonly RequirementResult[],
): void {
  for (const witness of witnesses) {
    const shown = results.find((result) => isShownWrong(result, witness));
    if (shown === undefined) continue;
    const { operation, own, text, undecides } = witness;
    const isAnswer = isSuccessOf(operation);
    const excuses: Learning["excuses"] = (mismatch, answer) =>
      !own.has(mismatch.requirement) && isAnswer(answer);
    const isOfOthers = (result: RequirementResult): boolean =>
      result.verdict === "inconclusive"
        ? undecides.test(result.reason ?? "")
        : result.mismatches.some((mismatch) =>
            excuses(mismatch, result.evidence[mismatch.exchange ?? -1]),
          );
    if (!results.some((result) => result.cause === undefined && isOfOthers(result))) continue;
    const [requirement] = shown.covers;
    discovery.learn({
      id: `${operation}-proves-nothing`,
      topic: operation,
      text: `${text} (${String(requirement)}, ${shown.name})`,
      adapted: "it is no evidence against others",
      excuses,
      excusesReason: (reason) => undecides.test(reason),
      seen: [],
    });
  }
}

/** Whether a check of the operation's own failed by one of its answers, before anything was done to a job. */
function isShownWrong(
  { name, verdict, covers, mismatches, evidence, cause }: RequirementResult,
  { operation, area, own }: Witness,
): boolean {
  if (verdict !== "fail" || cause !== undefined || !name.startsWith(area)) return false;
  if (!covers.every((id) => own.has(id))) return false;
  const isAnswer = isSuccessOf(operation);
  const at = mismatches.find(({ exchange }) => exchange !== undefined)?.exchange;
  if (at === undefined || !isAnswer(evidence[at])) return false;
  return evidence.slice(0, at).every((before) => !hasEffectOnJobs(before));
}

function hasEffectOnJobs({ request }: Evidence): boolean {
  const operation = operationOf(request);
  return operation === "cancel" || operation === "retry" || operation === "purge-queue";
}
