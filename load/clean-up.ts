import { setTimeout as pause } from "node:timers/promises";

import { bodyOf } from "../client/index.ts";
import type { Exchange, JobClient } from "../client/index.ts";
import { validators, windowMs } from "../openapi/index.ts";
import { EngineEndpoints } from "./engine-endpoints.ts";
import type { TargetAccess } from "../harness/endpoint/endpoint-source.ts";
import type { LoadMeter } from "./meter.ts";

/** What load left on an endpoint. */
export interface CleanedUp {
  /** How many jobs were taken out of the queue. */
  readonly purged: number;
  /** How many wait or work still; undefined where health does not tell. */
  readonly left: number | undefined;
}

interface Waiting {
  readonly signal?: AbortSignal | undefined;
  readonly meter?: LoadMeter | undefined;
}

/** What jobs that are at work may take to end by themselves. */
const endMsMax = 60_000;
const lookEveryMs = 500;
/** A purge that its limit refuses is sent again a window later, so often. */
const purgesMax = 4;

/**
 * Takes the jobs that load has left out of the queue of an endpoint that was there before, and waits until none is at
 * work any more. Undefined where endpoints were made for the run, which are gone with their jobs, and after a stop.
 */
export async function cleanUp(
  target: TargetAccess,
  { signal, meter }: Waiting,
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
    await pause(lookEveryMs, undefined, signal === undefined ? {} : { signal });
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
