import type { JobClient } from "../client/job-client.ts";
import { HarnessError } from "./outcome.ts";

/** What one endpoint answered to requests that make no job. */
export interface EndpointAnswers {
  readonly endpointId: string;
  /** The status of the answer by what was asked; `undefined` where it says nothing of the endpoint (none, 429, 5xx). */
  readonly answers: ReadonlyMap<string, number | undefined>;
}

/** Sends an endpoint some requests that make no job, and that endpoints of one kind answer with the same status. */
export async function requestAnswers(client: JobClient): Promise<EndpointAnswers> {
  const { endpointId } = client.options;
  const answers = new Map<string, number | undefined>();
  const asked = [
    ["health", async () => client.health()],
    ["status of an unknown job", async () => client.status("queueproof-preflight")],
    ["run without an input", async () => client.run({})],
    ["run without a key", async () => client.with({ apiKey: undefined }).run({})],
  ] as const;
  for (const [what, ask] of asked) {
    const { answer } = await ask();
    const isOfMoment = answer === undefined || answer.status === 429 || answer.status >= 500;
    answers.set(what, isOfMoment ? undefined : answer.status);
  }
  return { endpointId, answers };
}

/**
 * Throws if endpoints answered differently: checks run on whichever is free, so that all have to be of one kind.
 * @throws HarnessError ENDPOINTS_DIFFER, with every question to which they gave different answers
 */
export function demandAlike(seen: readonly EndpointAnswers[]): void {
  const [first, ...others] = seen;
  if (first === undefined) return;
  const differing = [...first.answers].flatMap(([what, status]) => {
    const other = others.find(({ answers }) => differ(answers.get(what), status));
    if (other === undefined) return [];
    const both = [first, other].map(
      ({ endpointId, answers }) => `${endpointId} answered ${String(answers.get(what))}`,
    );
    return [`to ${what} ${both.join(", ")}`];
  });
  if (differing.length === 0) return;
  throw new HarnessError(
    "ENDPOINTS_DIFFER",
    `the endpoints that --endpoint names behave differently: ${differing.join("; ")}`,
    "Name endpoints of one kind, which run the same handler with the same settings. Nothing was sent that makes a job.",
  );
}

function differ(one: number | undefined, other: number | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}
