import type { Exchange } from "../../client/exchange.ts";
import { parseJson } from "../../client/parse-json.ts";
import { valueAt } from "../../openapi/departures.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { recordShownBy } from "../record.ts";
import type { Discovery } from "./discovery.ts";

/** What else the output of a cancelled job breaks. */
const shownUnder: ReadonlySet<RequirementId> = new Set([
  "CANC-02",
  "CANC-04",
  "STAT-02",
  "STAT-08",
  "LIFE-02",
]);

/**
 * Learns that a cancelled job has an output: it was worked on, or keeps what it had done.
 * @param exchange one of a real clock, in the specification's terms
 */
export function learnCancelledOutput(discovery: Discovery, exchange: Exchange): void {
  if (exchange.operation !== "status") return;
  const record = recordShownBy(exchange);
  if (record?.status !== "CANCELLED" || (record["output"] ?? null) === null) return;
  discovery.learn({
    id: "cancelled-with-output",
    topic: "cancel",
    text: "a cancelled job has an output: status shows it CANCELLED, and with one",
    breaks: ["CANC-04"],
    expected: "CANCELLED, with no output",
    explains: ({ requirement, got }, evidence) =>
      shownUnder.has(requirement) &&
      (isCancelledWithOutput(evidence?.response?.body) ||
        isCancelledWithOutput(got.slice(Math.max(0, got.indexOf("{")))) ||
        got.includes("CANCELLED with an output")),
    seen: [exchange],
  });
}

function isCancelledWithOutput(body: unknown): boolean {
  const value = typeof body === "string" ? parseJson(body) : undefined;
  return valueAt(value, "status") === "CANCELLED" && (valueAt(value, "output") ?? null) !== null;
}
