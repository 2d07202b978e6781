import { join } from "node:path";

import { segmentOf } from "../../client/index.ts";
import type { JobClient } from "../../client/index.ts";
import { statedLimits } from "../../scenarios/question.ts";
import type { HeldLimits, Question, QuestionPlan, QuestionSize } from "../../scenarios/question.ts";
import type { K6QuestionSettings } from "../../scenarios/k6/settings.ts";
import { EngineEndpoints } from "../engine-endpoints.ts";
import type { EngineTarget } from "../engine-endpoints.ts";
import { k6Script } from "../k6/rate.ts";
import { runK6 } from "../k6/run.ts";
import type { K6Ending, K6Run } from "../k6/run.ts";
import { countOf } from "../k6/summary.ts";
import type { K6Summary } from "../k6/summary.ts";
import { judgeQuestion } from "./judge.ts";
import type { QuestionFinding } from "./judge.ts";
import { Receiver } from "./receiver.ts";
import type { ReceiverOptions } from "./receiver.ts";
import { watchMemory } from "./target-memory.ts";
import { thresholdsOf } from "./thresholds.ts";

export interface QuestionOptions extends Pick<
  K6Run,
  "k6" | "environment" | "signal" | "onProgress"
> {
  readonly target: EngineTarget;
  /** Default: the question's own. */
  readonly durationMs?: number | undefined;
  /** Default 1. */
  readonly scale?: number | undefined;
  /** What the target is held to; default: what is stated. */
  readonly limits?: HeldLimits;
  /** Where k6's own report goes, in a folder called k6. */
  readonly reportDirectory?: string;
  readonly webhook?: ReceiverOptions;
  /** How long webhooks that have not come yet are waited for. */
  readonly webhookGraceMs?: number;
}

/** What a question is asked like under these options. */
export function planOf(
  question: Question,
  options: Pick<QuestionOptions, "durationMs" | "scale" | "limits"> & {
    readonly target: Pick<EngineTarget, "capabilities">;
  },
): QuestionPlan {
  const size: QuestionSize = {
    durationMs: options.durationMs ?? question.durationMs,
    scale: options.scale ?? 1,
    limits: options.limits ?? statedLimits,
    capabilities: options.target.capabilities,
  };
  return question.plan(size);
}

/** Why a question cannot be asked of this target; undefined where it can. */
export function obstacleTo(question: Question, target: EngineTarget): string | undefined {
  const missing = question.needs.filter((capability) => !target.capabilities.includes(capability));
  if (missing.length > 0) return `the target does not offer ${missing.join(", ")}`;
  const hasEndpoint = target.endpointId !== undefined && target.apiKey !== undefined;
  const makesEndpoints =
    target.controlUrl !== undefined && target.capabilities.includes("endpoints");
  if (hasEndpoint || makesEndpoints) return undefined;
  return "no endpoint and key were given, and the target makes none";
}

/** A webhook that failed is called again after 10 s (SPEC.md "Events"). */
const webhookGraceMsDefault = 12_000;

/** What starting and stopping may take beside the phases. */
const marginMs = 90_000;

/** Asks one question by k6, of a fresh endpoint where the target makes them. */
export async function runQuestion(
  question: Question,
  options: QuestionOptions,
): Promise<QuestionFinding> {
  const plan = planOf(question, options);
  const endpoints = new EngineEndpoints(options.target);
  const receiver = question.needs.includes("webhook")
    ? await Receiver.start(options.webhook)
    : undefined;
  try {
    const client = await endpoints.nextRested(
      options.signal,
      endpointFor(question, options.target),
    );
    const memory = await watchMemory(options.target.baseUrl);
    const ending = await runK6({
      k6: options.k6,
      environment: options.environment,
      script: k6Script(question.name),
      settings: settingsFor(plan, client, { controlUrl: options.target.controlUrl, receiver }),
      timeLimitMs: longestMs(plan) + marginMs,
      redact: (text) => endpoints.redactor.redact(text),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
      ...(options.reportDirectory === undefined
        ? {}
        : { dashboard: { directory: join(options.reportDirectory, "k6"), name: question.name } }),
    });
    const seen = new Map([...memory.end(), ...(await webhooksSeen(receiver, ending, options))]);
    return judgeQuestion({
      question,
      plan,
      summary: ending.summary && new Map([...ending.summary, ...seen]),
      undecided: ending.undecided,
      durationMs: ending.durationMs,
    });
  } finally {
    await receiver?.close();
    await endpoints.close();
  }
}

/** A virtual clock stands still unless it is moved: it is only for targets that have one. */
function endpointFor({ endpoint }: Question, { capabilities }: EngineTarget): Question["endpoint"] {
  return capabilities.includes("clock") ? endpoint : { ...endpoint, clock: "real" };
}

async function webhooksSeen(
  receiver: Receiver | undefined,
  { summary }: K6Ending,
  { webhookGraceMs = webhookGraceMsDefault }: QuestionOptions,
): Promise<K6Summary> {
  if (receiver === undefined || summary === undefined) return new Map();
  const expected = countOf(summary, "jobs_accepted");
  await receiver.awaitCalls(expected, webhookGraceMs);
  return receiver.figures(expected);
}

interface Addresses {
  readonly controlUrl: string | undefined;
  readonly receiver: Pick<Receiver, "url"> | undefined;
}

function settingsFor(
  plan: QuestionPlan,
  { options: { baseUrl, endpointId, apiKey = "" } }: JobClient,
  { controlUrl, receiver }: Addresses,
): K6QuestionSettings {
  const id = segmentOf(endpointId);
  return {
    endpoint: { url: `${baseUrl}/v2/${id}`, authorization: apiKey },
    ...(controlUrl === undefined ? {} : { controlUrl: `${controlUrl}/endpoints/${id}` }),
    ...(receiver === undefined ? {} : { webhookUrl: receiver.url }),
    phases: plan.phases,
    values: plan.values,
    thresholds: thresholdsOf(plan),
  };
}

function longestMs({ phases }: QuestionPlan): number {
  return Math.max(
    ...phases.map((phase) =>
      phase.kind === "crew" ? phase.startMs + phase.longestMs : phase.startMs + phase.durationMs,
    ),
  );
}
