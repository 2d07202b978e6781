import type { RequirementResult } from "../../harness/judge.ts";
import type { LoadPoints } from "../../reports/model.ts";
import type { Question } from "../../scenarios/question.ts";
import { ensureK6 } from "../k6/index.ts";
import type { K6, MissingK6 } from "../k6/index.ts";
import { stopReason } from "../stop-reason.ts";
import { scenarioNameOf } from "./judge.ts";
import { obstacleTo, planOf, runQuestion } from "./run-question.ts";
import type { QuestionOptions } from "./run-question.ts";
import { sharedTarget } from "../distributed/shared-target.ts";
import { obstacleToSharing } from "./share.ts";

export interface QuestionsOptions extends Omit<QuestionOptions, "k6"> {
  readonly questions: readonly Question[];
  readonly k6CacheDirectory: string;
  readonly onBuilding?: (text: string) => void;
  readonly onStarted?: (question: Question) => void;
  readonly onFinished?: (entry: QuestionEntry) => void;
}

/** A question as a report's `load` holds it. */
export interface QuestionEntry {
  readonly scenario: string;
  readonly engine: "k6";
  readonly question: string;
  readonly verdict: "pass" | "fail" | "inconclusive" | "not-run";
  readonly answer?: string;
  readonly reason?: string;
  readonly figures: Readonly<Record<string, number | string>>;
  readonly requirements: readonly string[];
  /** Of one of several runners: where every value it measured stands. */
  readonly points?: LoadPoints;
  readonly durationMs: number;
}

export interface QuestionsRun {
  readonly results: readonly RequirementResult[];
  readonly load: readonly Omit<QuestionEntry, "durationMs">[];
}

/** Asks the questions one after the other, so that none disturbs another. What cannot be asked is told. */
export async function runQuestions(options: QuestionsOptions): Promise<QuestionsRun> {
  const { questions, environment, k6CacheDirectory, signal } = options;
  const results: RequirementResult[] = [];
  const load: Omit<QuestionEntry, "durationMs">[] = [];
  if (questions.length === 0) return { results, load };
  const k6 = await ensureK6({ ...options, environment, cacheDirectory: k6CacheDirectory });
  for (const question of questions) {
    const obstacle =
      signal?.aborted === true ? stopReason(signal) : obstacleOf(question, k6, options);
    if (obstacle === undefined) options.onStarted?.(question);
    const beganMs = performance.now();
    const { checks, ...said } =
      obstacle === undefined && !("missing" in k6)
        ? await runQuestion(question, { ...options, k6 })
        : notAsked(question, options, obstacle ?? "");
    const entry = {
      scenario: scenarioNameOf(question),
      engine: "k6",
      question: question.question,
      ...said,
    } as const;
    results.push(...checks);
    load.push(entry);
    options.onFinished?.({ ...entry, durationMs: Math.round(performance.now() - beganMs) });
  }
  return { results, load };
}

function obstacleOf(
  question: Question,
  k6: K6 | MissingK6,
  options: QuestionsOptions,
): string | undefined {
  if ("missing" in k6) return k6.missing;
  const { share, target } = options;
  if (share === undefined) {
    const { cost } = planOf(question, options);
    return obstacleTo(question, target) ?? options.meter?.whyTooMuch?.(cost);
  }
  const shared = sharedTarget(target);
  const plan = planOf(question, { ...options, target: shared });
  const sharing = { plan, runners: share.segment.of, way: "segment" } as const;
  return obstacleToSharing(question, sharing) ?? obstacleTo(question, shared);
}

interface NotAsked extends Pick<QuestionEntry, "reason" | "figures" | "requirements"> {
  readonly verdict: "not-run";
  readonly checks: readonly RequirementResult[];
}

function notAsked(question: Question, options: QuestionsOptions, reason: string): NotAsked {
  const { demands } = planOf(question, options);
  const requirements = [...new Set(demands.flatMap(({ requirement }) => requirement ?? []))];
  return { verdict: "not-run", reason, figures: {}, requirements, checks: [] };
}
