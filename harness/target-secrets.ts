import { addSecrets } from "../client/index.ts";
import type { Redactor, RequestRules } from "../client/index.ts";
import { addInputSecrets } from "./inputs/input-secrets.ts";
import type { Target } from "./target.ts";

/** Makes known to a redactor what a target's settings hold that nobody may read. */
export function addTargetSecrets(redactor: Redactor, target: Target, rules: RequestRules): void {
  redactor.add("api key", target.apiKey);
  redactor.add("foreign key", target.foreignKey);
  addSecrets(rules, redactor);
  redactor.add("path of the webhook URL", secretPathOf(target.webhookUrl));
  if (target.jobs !== undefined) addInputSecrets(redactor, target.jobs);
}

/** Services that receive webhooks know their owner by it. */
function secretPathOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).pathname.replace(/^\/|\/$/g, "");
}
