import { escaped, ownKeys } from "./curl.ts";
import type { KeyVariables } from "./curl.ts";

/** The shell variables of a script, for the ids and keys that the target gives out. */
export class ShellNames {
  readonly #variables = new Map<string, string>();
  readonly #keys = new Map<string, KeyVariables>();
  #endpoints = 0;
  #jobs = 0;

  /** @param endpointId of the endpoint that is there before the script, where there is one */
  constructor(endpointId: string | undefined) {
    if (endpointId !== undefined) this.#variables.set(endpointId, "endpoint");
  }

  /** Makes the variables of a fresh endpoint and of its keys. */
  endpoint(endpointId: string): KeyVariables & { readonly endpoint: string } {
    this.#endpoints += 1;
    const number = String(this.#endpoints);
    const keys = { apiKey: `key_${number}`, foreignKey: `foreign_${number}` };
    const endpoint = `endpoint_${number}`;
    this.#variables.set(endpointId, endpoint);
    this.#keys.set(endpointId, keys);
    return { ...keys, endpoint };
  }

  /** The variable of a job's id; an id that is given out again has the same one. */
  job(id: string): string {
    const known = this.#variables.get(id);
    if (known !== undefined) return known;
    this.#jobs += 1;
    const variable = `job_${this.#jobs}`;
    this.#variables.set(id, variable);
    return variable;
  }

  /** The keys for requests to an endpoint; for an id that a check made up, those of the first endpoint. */
  keysOf(endpointId: string): KeyVariables {
    const [first = ownKeys] = this.#keys.values();
    return this.#keys.get(endpointId) ?? first;
  }

  /** Whether there is an endpoint to send to. */
  get hasEndpoint(): boolean {
    return this.#endpoints > 0 || [...this.#variables.values()].includes("endpoint");
  }

  /** Whether an id was given out before. */
  has(id: string): boolean {
    return this.#variables.has(id);
  }

  /** A path for a double-quoted word, with every id that was given out replaced by its variable. */
  path(path: string): string {
    return path
      .split("/")
      .map((segment) => this.#segment(segment))
      .join("/");
  }

  #segment(segment: string): string {
    const id = decoded(segment);
    const variable = this.#variables.get(id);
    if (variable === undefined) return escaped(segment);
    // The id that the target gives out then may hold what this one does not.
    return `$(encode "$${variable}")`;
  }
}

/** Whether the script can cut an id out of JSON that is split at commas and braces: it has none, and no escapes. */
export function canBeCarried(id: string): boolean {
  return JSON.stringify(id) === `"${id}"` && !/[,{]/u.test(id);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // The redaction has cut an escape in two.
    return segment;
  }
}
