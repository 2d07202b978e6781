import type { LoadPoints } from "../../reports/model.ts";
import type { Question, QuestionPlan } from "../../scenarios/question.ts";
import { aloneReason } from "../k6/rate-finding.ts";
import { judgeQuestion } from "./judge.ts";
import type { QuestionFinding } from "./judge.ts";

/** What one of several runners says of a question: alone it decides nothing, and says where its points are. */
export function findingOfRunner(
  question: Question,
  plan: QuestionPlan,
  { points, durationMs }: { readonly points: LoadPoints; readonly durationMs: number },
): QuestionFinding {
  const undecided = points.undecided ?? aloneReason(points);
  const { runner, runners } = points;
  return {
    ...judgeQuestion({ question, plan, summary: undefined, undecided, durationMs }),
    figures: { runner, runners },
    points,
  };
}
