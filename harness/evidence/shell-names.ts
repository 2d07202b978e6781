import { escaped, ownKeys } from "./curl.ts";
import type { KeyVariables } from "./curl.ts";

/** The shell variables that stand in a script for what the target gave out. */
export class ShellNames {
  readonly #variables = new Map<string, string>();
  readonly #keys = new Map<string, KeyVariables>();
  #endpoints = 0;
  #jobs = 0;

  /** @param endpointId of the endpoint that is there before the script, where there is one */
  constructor(endpointId: string | undefined) {
    if (endpointId !== undefined) this.#variables.set(endpointId, "endpoint");
  }

  /** The variables of an endpoint that is made, and of its keys. */
  endpoint(endpointId: string): KeyVariables & { readonly endpoint: string } {
    this.#endpoints += 1;
    const number = String(this.#endpoints);
    const keys = { apiKey: `key_${number}`, foreignKey: `foreign_${number}` };
    const endpoint = `endpoint_${number}`;
    this.#variables.set(endpointId, endpoint);
    this.#keys.set(endpointId, keys);
    return { ...keys, endpoint };
  }

  /** The variable of a job; a submission that gives out an id again has the same one. */
  job(id: string): string {
    const known = this.#variables.get(id);
    if (known !== undefined) return known;
    this.#jobs += 1;
    const variable = `job_${String(this.#jobs)}`;
    this.#variables.set(id, variable);
    return variable;
  }

  /** The keys that a request to an endpoint carries: to one that a check made up it sends those of the first. */
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

  /** A path for a double-quoted word, every id that was given out replaced by its variable. */
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
    return isPlain(id) ? `$${variable}` : `$(encode "$${variable}")`;
  }
}

/** Whether an id can be cut out of JSON that was split at its commas and brackets: it stands there as it is. */
export function canBeCarried(id: string): boolean {
  return JSON.stringify(id) === `"${id}"` && !/[,{]/u.test(id);
}

/** Whether an id stands in a path as it is. */
function isPlain(id: string): boolean {
  return encodeURIComponent(id) === id && !/^\.+$/u.test(id);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // A secret was taken out of the middle of an escape.
    return segment;
  }
}
