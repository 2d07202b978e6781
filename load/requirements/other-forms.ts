import type { OperationName } from "../../openapi/operations.ts";
import type { LoadEndpoint } from "./endpoint.ts";
import { busy, echo } from "./requests.ts";
import type { RequestParts } from "./requests.ts";
import type { Tally } from "./tally.ts";

/** A request that differs from the others of its operation in something that no limit depends on. */
export interface OtherForm {
  /** How it differs, to follow the name of the operation. */
  readonly words: string;
  readonly parts: RequestParts;
}

/** One such request that was sent while the limit of its operation was used up. */
export interface TriedForm extends OtherForm {
  readonly tally: Tally;
}

/** The forms that requests of an operation may have besides the one in which load checks send them. */
export async function otherFormsOf(
  endpoint: LoadEndpoint,
  operation: OperationName,
): Promise<readonly OtherForm[]> {
  const { apiKey } = endpoint.access;
  const jobId = await otherJob(endpoint, operation);
  const job = jobId === undefined ? {} : { jobId };
  const isBearer = apiKey.startsWith("Bearer ");
  return [
    ...(isBearer
      ? []
      : [{ words: "with the key after Bearer", parts: { ...job, apiKey: `Bearer ${apiKey}` } }]),
    ...(jobId === undefined ? [] : [{ words: "for another job", parts: job }]),
    ...(ofOperation[operation] ?? []),
  ];
}

const ofOperation: Readonly<Partial<Record<OperationName, readonly OtherForm[]>>> = {
  runsync: [{ words: "with another wait", parts: { waitMs: 5_000 } }],
  status: [{ words: "with a ttl", parts: { query: "ttl=600000" } }],
  openai: [{ words: "with another path below it", parts: { path: "openai/v1/completions" } }],
};

/** A job that no other request has named; one that is still at work where only its status is read. */
async function otherJob(
  endpoint: LoadEndpoint,
  operation: OperationName,
): Promise<string | undefined> {
  if (operation !== "status" && operation !== "stream" && operation !== "cancel") return undefined;
  const [jobId] = await endpoint.submit(1, operation === "stream" ? echo : busy);
  return jobId;
}

/**
 * Sends one request of each form to an operation whose limit is used up. Nothing is sent where a plain request is
 * accepted; the time of the endpoint has to stand still, as places come back with time.
 */
export async function tryOtherForms(
  endpoint: LoadEndpoint,
  operation: OperationName,
): Promise<readonly TriedForm[]> {
  const forms = await otherFormsOf(endpoint, operation);
  if ((await endpoint.send(operation, 1)).refused === 0) return [];
  const tried: TriedForm[] = [];
  for (const form of forms) {
    const flight = await endpoint.putInFlight(operation, 1, form.parts);
    tried.push({ ...form, tally: await flight.end() });
  }
  return tried;
}
