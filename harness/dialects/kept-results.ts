import type { Exchange } from "../../client/exchange.ts";
import { finalStates } from "../record.ts";

/** More than the checks of one run read twice. */
const charactersMax = 32 * 1_048_576;

/** Keeps the records of finished jobs, for a service that lets each result be read once. */
export class KeptResults {
  readonly #texts = new Map<string, string>();
  #characters = 0;

  /** Keeps what status or runsync showed of a finished job. */
  keep({ operation, request }: Exchange, body: unknown): void {
    if (operation !== "status" && operation !== "runsync") return;
    if (typeof body !== "object" || body === null || !("id" in body) || !("status" in body)) return;
    if (typeof body.status !== "string" || !finalStates.includes(body.status)) return;
    const text = JSON.stringify(body);
    if (this.#characters + text.length > charactersMax) return;
    this.#characters += text.length;
    this.#texts.set(keyOf(request.endpointId, String(body.id)), text);
  }

  /** The record that was kept of this job. */
  of({ operation, request }: Exchange): string | undefined {
    if (operation !== "status" || request.jobId === undefined) return undefined;
    return this.#texts.get(keyOf(request.endpointId, request.jobId));
  }
}

function keyOf(endpointId: string, jobId: string): string {
  return JSON.stringify([endpointId, jobId]);
}
