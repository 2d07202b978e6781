import { defaultBudgetMs } from "../harness/time-budget.ts";
import { dialects } from "../harness/dialects/shipped.ts";
import type { Dialect } from "../harness/dialects/schema.ts";
import type { RequirementResult } from "../harness/judge.ts";
import type { RunOutcome } from "../harness/run.ts";
import { runContract as runSuite } from "../contracts/run-contract.ts";
import type { Capability } from "../openapi/capabilities.ts";
import { isOfLoad } from "../openapi/requirements.ts";
import { createReport as reportOf } from "../reports/create-report.ts";
import { decidedByReason, notSelectedReason } from "../reports/not-run.ts";
import type { Report } from "../reports/model.ts";
import { toolVersion } from "../openapi/installation.ts";

/** A server to check, and how. Required: `baseUrl`, and either `controlUrl` or `endpointId` with `apiKey`. */
export interface ContractOptions {
  /** Service address, without `/v2`. */
  readonly baseUrl: string;
  /** URL of the server's control protocol, with which the run makes fresh endpoints and waits without real time. */
  readonly controlUrl?: string | undefined;
  readonly endpointId?: string;
  readonly apiKey?: string;
  /** A valid key without permission for the endpoint. */
  readonly foreignKey?: string;
  /** What the server offers beyond the API; needed where no control protocol says so. */
  readonly capabilities?: readonly Capability[];
  /** A public URL that leads to this machine, so that a server elsewhere can call webhooks here. */
  readonly webhookUrl?: string;
  /** How long one answer may take, in ms; default 30 000. */
  readonly timeoutMs?: number;
  /** The dialect that the server is held to; default `spec`. */
  readonly dialect?: "spec" | "runpod" | "rp-local" | Dialect;
  /** Ids or globs of requirements (`RUNA-*`); default all. */
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  /** The longest a check may take on a real clock, in ms; default 120 000, `Infinity` for all. */
  readonly timeBudgetMs?: number;
  /** Makes generated data and sequences repeatable; default 1. */
  readonly seed?: number;
  /** Stops the run; checks that have not ended by then are not-run. */
  readonly signal?: AbortSignal;
  readonly onResult?: (result: RequirementResult) => void;
}

/** The result of a run, and the input of `createReport`. */
export interface ContractOutcome extends RunOutcome {
  readonly seed: number;
  readonly dialect: string;
  readonly startedAt: Date;
  readonly durationMs: number;
}

/**
 * Checks a server, in this process, against every requirement except those of rate and concurrency.
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

/**
 * Makes the report of a run, as `report.json` has it: every requirement of the catalogue with its verdict,
 * what it needs, and the exchanges that prove a failure. It holds no keys and no secrets.
 */
export function createReport(outcome: ContractOutcome): Report {
  return reportOf({
    toolVersion: toolVersion(),
    nodeVersion: process.version,
    command: "contract",
    notRunReason: (id) => (isOfLoad(id) ? decidedByReason(["load"]) : notSelectedReason),
    ...outcome,
  });
}
