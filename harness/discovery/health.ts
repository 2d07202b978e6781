import { bodyOf } from "../../client/index.ts";
import type { Exchange } from "../../client/index.ts";
import { describeErrors, validators } from "../../openapi/index.ts";
import { operationOf } from "../../reports/operation-of.ts";
import { isSuccess } from "../read.ts";
import type { Discovery } from "./discovery.ts";

/** Learns where health has another shape than the specification's: what needs its counts is not decided then. */
export function learnHealth(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation } = exchange;
  if (operation !== "health" || answer === undefined || !isSuccess(answer)) return;
  const body = bodyOf(answer);
  const validate = validators.HealthAnswer;
  if (body.ok && validate(body.value)) return;
  const why = body.ok ? describeErrors(validate.errors) : body.why;
  discovery.learn({
    id: "health-shape",
    topic: "health",
    text: `health has another shape: ${why}`,
    adapted: "what needs its counts is not run",
    explains: ({ requirement }, evidence) =>
      requirement === "HLTH-01" &&
      evidence !== undefined &&
      operationOf(evidence.request) === "health",
    excuses: (_, evidence) => evidence !== undefined && operationOf(evidence.request) === "health",
    excusesReason: (reason) => /\bhealth\b/.test(reason),
    seen: [exchange],
  });
}
