import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { Dialect } from "../dialects/schema.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { Asker } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import { findKeys, findOpenHealth } from "./keys.ts";
import { findDoubtful, findOperations } from "./operations.ts";
import { learnSlow } from "./slow-operations.ts";
import { learnRefusals, tryInputs } from "./submission.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import { describeErrors } from "../../openapi/describe-errors.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { isSuccess } from "../read.ts";
import { isSuccessOf } from "./shown-by.ts";
import { learnUnknownJobs } from "./unknown-jobs.ts";

/** A refusal by health, of a key for instance, is no matter of its shape. */
const isHealth = isSuccessOf("health");

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

/** What a run may ask a target whose path and form of the key are known. */
export interface Questions {
  readonly dialect: Dialect;
  /** Inputs that may make a job, the likeliest first; none: no job is made. */
  readonly inputs: readonly JobInput[];
}

/**
 * Learns of a target what a run has to know before it judges: how it looks at keys, which operations are there, how it
 * refuses a submission, what it says to an input, how soon a job can be read, and the shape of health.
 * @param client speaks to the target in the form that was found
 * @param first what was answered to the first question, health where that is there
 */
export async function learnTarget(
  client: JobClient,
  discovery: Discovery,
  { first, dialect, inputs }: Questions & { readonly first: Exchange },
): Promise<void> {
  const asker = new Asker(client, discovery);
  const { authorization } = dialect.deviations ?? {};
  const refusesKeys = await findKeys(
    asker,
    async (asking) => asking.run({}),
    authorization === undefined,
  );
  const answers = await findOperations(asker, { first, refusesKeys });
  learnHealth(discovery, client.options.translation?.exchange(first) ?? first);
  learnSlow(discovery, answers);
  const submitted = answers.get("run") ?? answers.get("runsync");
  if (submitted !== undefined && !discovery.knows("missing-run")) {
    if (dialect.deviations?.refusals === undefined) learnRefusals(asker, submitted);
    await tryInputs(asker, inputs, answers);
  }
  learnUnknownJobs(discovery, answers.get("status"), inputs.length > 0);
  if (refusesKeys) await findDoubtful(asker, answers);
  if (refusesKeys && first.operation === "health") await findOpenHealth(asker);
}
