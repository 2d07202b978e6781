import { setTimeout as pause } from "node:timers/promises";

import { bodyOf } from "../client/parsed-body.ts";
import type { Exchange } from "../client/exchange.ts";
import type { JobClient } from "../client/job-client.ts";
import { validators } from "../openapi/generated/validators.ts";
import { windowMs } from "../openapi/operations.ts";
import { EngineEndpoints } from "./engine-endpoints.ts";
import type { TargetAccess } from "../harness/endpoint/endpoint-source.ts";
import type { LoadSupervision } from "./meter.ts";

/** What load left on an endpoint. */
export interface CleanedUp {
  /** How many jobs were taken out of the queue. */
  readonly purged: number;
  /** How many jobs still wait or run; undefined where health does not say. */
  readonly left: number | undefined;
}

/** How long jobs in progress get to end by themselves. */
const endMsMax = 60_000;
const lookEveryMs = 500;
/** The most purges that are sent, one a window: its limit may have refused the one before. */
const purgesMax = 4;

/**
 * Purges the jobs that load left on an endpoint that existed before the run, and waits up to 60 s until none waits or
 * runs. Returns undefined after a stop, and where endpoints were made for the run: these are gone with their jobs.
 */
export async function cleanUp(
  target: TargetAccess,
  { signal, meter }: LoadSupervision,
): Promise<CleanedUp | undefined> {
  const endpoints = new EngineEndpoints(target, meter);
  try {
    if (endpoints.areFresh || !endpoints.exist) return undefined;
    return await cleanUpBy(await endpoints.next(), signal);
  } catch (error) {
    if (signal?.aborted === true) return undefined;
    throw error;
  } finally {
    await endpoints.close();
  }
}

async function cleanUpBy(
  client: JobClient,
  signal: AbortSignal | undefined,
): Promise<CleanedUp | undefined> {
  const giveUpMs = performance.now() + endMsMax;
  let purged = 0;
  let purges = 0;
  let purgeAgainMs = 0;
  for (;;) {
    if (signal?.aborted === true) return undefined;
    const jobs = jobsIn(await client.health());
    if (jobs === undefined) return { purged, left: undefined };
    const left = jobs.inQueue + jobs.inProgress;
    if (left === 0 || performance.now() >= giveUpMs) return { purged, left };
    if (jobs.inQueue > 0 && purges < purgesMax && performance.now() >= purgeAgainMs) {
      purges += 1;
      purged += removedBy(await client.purgeQueue());
      purgeAgainMs = performance.now() + windowMs;
    }
    await pause(lookEveryMs, undefined, { signal });
  }
}

function jobsIn(exchange: Exchange): { inQueue: number; inProgress: number } | undefined {
  const body = valueOf(exchange);
  return validators.HealthAnswer(body) ? body.jobs : undefined;
}

function removedBy(exchange: Exchange): number {
  const body = valueOf(exchange);
  return validators.PurgeAnswer(body) ? body.removed : 0;
}

function valueOf({ answer }: Exchange): unknown {
  const parsed = answer === undefined ? undefined : bodyOf(answer);
  return parsed?.ok === true ? parsed.value : undefined;
}
