import { isJsonObject } from "../../client/parse-json.ts";
import type { Deviations } from "../dialects/schema.ts";
import { isLooseRecord, jobStates } from "../record.ts";
import { show } from "../show.ts";
import type { Discovery } from "./discovery.ts";

/**
 * Learns that the body of a webhook has the record as one of its members, as events have.
 * @param body what a call brought, in the specification's terms
 * @param given what the dialect says already: that is tolerated, and no cause
 */
export function learnWebhookMember(
  discovery: Discovery,
  body: unknown,
  { webhookMember }: Deviations = {},
): void {
  if (!isJsonObject(body) || isRecord(body)) return;
  const inside = Object.keys(body).filter((name) => isRecord(body[name]));
  const [member] = inside;
  if (member === undefined || inside.length > 1 || member === webhookMember) return;
  discovery.learn({
    id: "webhook-in-member",
    topic: "webhooks",
    text: `the body of a webhook has the record as its member ${show(member)}`,
    adapted: "read from there",
    breaks: ["HOOK-02"],
    expected: "a JSON object with what status shows",
    got: show(body),
    deviations: { webhookMember: member },
    seen: [],
  });
}

function isRecord(value: unknown): boolean {
  return isLooseRecord(value) && jobStates.includes(value.status);
}
