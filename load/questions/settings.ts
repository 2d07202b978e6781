import type { K6Endpoint, K6QuestionSettings } from "../../scenarios/k6/settings.ts";
import type { QuestionPlan } from "../../scenarios/question.ts";
import { thresholdsOf } from "./thresholds.ts";

export interface Addresses {
  readonly endpoint: K6Endpoint;
  /** Of this endpoint in the control protocol. */
  readonly controlUrl?: string | undefined;
  readonly webhookUrl?: string | undefined;
  /** Whether the process is one of several: then nothing can be demanded of its counts. */
  readonly isPart: boolean;
}

/** What the script of a question is given. */
export function questionSettings(
  plan: QuestionPlan,
  { endpoint, controlUrl, webhookUrl, isPart }: Addresses,
): K6QuestionSettings {
  return {
    endpoint,
    ...(controlUrl === undefined ? {} : { controlUrl }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    phases: plan.phases,
    values: plan.values,
    thresholds: thresholdsOf(plan, { isPart }),
  };
}
