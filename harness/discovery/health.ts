import { bodyOf } from "../../client/parsed-body.ts";
import type { Exchange } from "../../client/exchange.ts";
import { describeErrors } from "../../openapi/describe-errors.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { isSuccess } from "../read.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo } from "./shown-by.ts";

/** A refusal by health, of a key for instance, is no matter of its shape. */
const isHealth = isAnswerTo(["health"], (status) => status >= 200 && status < 300);

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
    explains: ({ requirement }, evidence) => requirement === "HLTH-01" && isHealth(evidence),
    excuses: (_, evidence) => isHealth(evidence),
    excusesReason: (reason) => /\bhealth\b/.test(reason),
    seen: [exchange],
  });
}
