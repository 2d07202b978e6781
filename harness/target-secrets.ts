import { addSecrets } from "../client/request-rules.ts";
import type { Redactor } from "../client/redactor.ts";
import type { RequestRules } from "../client/request-rules.ts";
import { addInputSecrets } from "./inputs/input-secrets.ts";
import type { Target } from "./target.ts";

/** Adds the secrets in a target's settings to a redactor. */
export function addTargetSecrets(redactor: Redactor, target: Target, rules: RequestRules): void {
  redactor.add("api key", target.apiKey);
  redactor.add("foreign key", target.foreignKey);
  addSecrets(rules, redactor);
  redactor.add("path of the webhook URL", secretPathOf(target.webhookUrl));
  if (target.jobs !== undefined) addInputSecrets(redactor, target.jobs);
}

/** The path of a webhook URL, by which services that receive webhooks identify its owner. */
function secretPathOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).pathname.replace(/^\/|\/$/g, "");
}
