import type { Reasons } from "./page.ts";
import type { Reason } from "./reason.ts";
import * as behaviour from "./reasons/behaviour.ts";
import * as core from "./reasons/core.ts";
import * as execution from "./reasons/execution.ts";
import * as http from "./reasons/http.ts";
import * as limits from "./reasons/limits.ts";
import * as submission from "./reasons/submission.ts";
import * as webhooks from "./reasons/webhooks.ts";

const parts: readonly {
  readonly unseen: readonly Reason[];
  readonly escaped?: readonly Reason[];
}[] = [core, limits, webhooks, submission, execution, http, behaviour];

/** Why each mutant lives that was not caught. */
export const reasons: Reasons = {
  unseen: parts.flatMap(({ unseen }) => unseen),
  escaped: parts.flatMap(({ escaped = [] }) => escaped),
};
