import { dialects } from "../harness/dialects/index.ts";
import type { Dialect } from "../harness/dialects/index.ts";
import type { RequirementResult } from "../harness/judge.ts";
import type { RunOutcome } from "../harness/run.ts";
import { runContract as runSuite } from "../contracts/index.ts";
import type { Capability } from "../openapi/index.ts";

/** A server to check, and how. Only `baseUrl` has to be given, with a way in: a control protocol, or an endpoint and a key. */
export interface ContractOptions {
  /** Service address, without `/v2`. */
  readonly baseUrl: string;
  /** The server's control protocol: fresh endpoints are made, and waits take no time. */
  readonly controlUrl?: string | undefined;
  readonly endpointId?: string;
  readonly apiKey?: string;
  /** A valid key without permission for the endpoint. */
  readonly foreignKey?: string;
  /** What the server offers beyond the API, where no control protocol tells. */
  readonly capabilities?: readonly Capability[];
  /** A public URL that leads to this machine, for webhooks of a server that is not on it. */
  readonly webhookUrl?: string;
  /** How long one answer may take, in ms; default 30 000. */
  readonly timeoutMs?: number;
  /** What the server is held to; default `spec`. */
  readonly dialect?: "spec" | "runpod" | "rp-local" | Dialect;
  /** Ids or globs of requirements (`RUNA-*`); default all. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** The longest a check may take on a real clock, in ms; default 120 000, `Infinity` for all. */
  readonly timeBudgetMs?: number;
  /** Makes generated data and sequences repeatable; default 1. */
  readonly seed?: number;
  /** Stops the run; what had not ended by then is not-run. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: RequirementResult) => void;
}

/** What a run found: the input of `createReport`. */
export interface ContractOutcome extends RunOutcome {
  readonly seed: number;
  readonly dialect: string;
  readonly startedAt: Date;
  readonly durationMs: number;
}

const defaultBudgetMs = 120_000;

/**
 * Checks every requirement outside rate and concurrency against a server, in this process.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED or NOTHING_SELECTED, with a hint.
 */
export async function runContract(options: ContractOptions): Promise<ContractOutcome> {
  const { controlUrl, dialect: dialectName = "spec", signal, onResult, ...given } = options;
  const { seed = 1, timeBudgetMs = defaultBudgetMs, capabilities = [] } = given;
  const dialect = typeof dialectName === "string" ? dialectNamed(dialectName) : dialectName;
  const startedAt = new Date();
  const begunMs = performance.now();
  const settings = {
    ...given,
    ...(controlUrl !== undefined && { controlUrl }),
    capabilities,
    dialect,
    seed,
    timeBudgetMs,
  };
  const outcome = await runSuite(settings, {
    ...(signal !== undefined && { signal }),
    onEvent: (event) => {
      if (event.type === "finished") onResult?.(event.result);
    },
  });
  const durationMs = Math.round(performance.now() - begunMs);
  return { ...outcome, seed, dialect: dialect.name, startedAt, durationMs };
}

function dialectNamed(name: string): Dialect {
  const found = dialects.find((dialect) => dialect.name === name);
  if (found !== undefined) return found;
  const names = dialects.map((dialect) => dialect.name).join(", ");
  throw new TypeError(`dialect ${name} is none of ${names}`);
}
