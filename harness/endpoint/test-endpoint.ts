import { setMaxListeners } from "node:events";

import type { ClockKind, ControlClient, EndpointOptions } from "../../client/control-client.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { EndpointConnection } from "../endpoint-connection.ts";
import type { EndpointHandle, ClockModes } from "./clock-modes.ts";
import { awaitRateLimitSlot } from "./rate-limit-slot.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import { RealTime, VirtualTime } from "./time.ts";
import { ControlledWorkers, OccupiedWorkers } from "./workers.ts";
import type { EndpointWorkers } from "./workers.ts";
import type { Jobs } from "../inputs/jobs.ts";

/** One endpoint a check works on: its own where fresh ones can be made, else the shared one. */
export interface TestEndpoint extends EndpointHandle {
  readonly id: string;
  /** A key that is valid elsewhere, and has no permission here. */
  readonly foreignKey: string | undefined;
  readonly workers: EndpointWorkers;
  /**
   * Purges the queue when the limit on purge-queue has room for it. On a shared endpoint one purge serves all checks
   * whose jobs wait in the same stall to be purged.
   */
  purge: () => Promise<Exchange>;
  /** Frees a fresh endpoint; on a shared one, cancels the check's unfinished jobs and restores the workers. */
  release: () => Promise<void>;
}

interface Gate extends Pick<EndpointConnection, "redactor" | "onEndpoint" | "lease"> {
  readonly clientFor: (endpointId: string, apiKey: string) => JobClient;
  readonly clockModes: ClockModes;
  readonly jobs: Jobs;
  readonly signal: AbortSignal | undefined;
}

/** Makes a fresh endpoint through the control protocol. */
export async function createFreshEndpoint(
  control: ControlClient,
  { redactor, clientFor, clockModes, onEndpoint, lease, jobs, signal }: Gate,
  options: EndpointOptions & { readonly clock: ClockKind },
): Promise<TestEndpoint> {
  const { endpointId: id, apiKey, foreignKey } = await control.createEndpoint(options);
  redactor.add("api key", apiKey);
  redactor.add("foreign key", foreignKey);
  onEndpoint(id);
  const client = clientFor(id, apiKey);
  const isVirtual = (await clockModes.of(control, id, options.clock)) === "virtual";
  const clock = isVirtual
    ? new VirtualTime(control, id, { graceMs: jobs.graceMs, check: lease })
    : undefined;
  const time = clock ?? new RealTime(lease, signal, jobs);
  const api = clock === undefined ? client : clockModes.heldAnswers.released(client, clock);
  let released = false;
  return {
    id,
    api,
    purge: async () => purgeInTurn({ api, time, jobs }),
    foreignKey,
    time,
    workers: new ControlledWorkers(control, id, { usual: options.workers ?? 1 }),
    jobs,
    release: async () => {
      if (released) return;
      released = true;
      await control.deleteEndpoint(id);
    },
  };
}

const cleanUpMsMax = 10_000;

/** The one endpoint the user named, which all checks share. */
export async function openSharedEndpoint(
  api: JobClient,
  { foreignKey, control, lease, jobs, onShared }: SharedOptions,
): Promise<TestEndpoint> {
  const id = api.options.endpointId;
  const clock = await control?.clock(id);
  const time =
    control !== undefined && clock?.mode === "virtual"
      ? new VirtualTime(control, id, { nowMs: clock.nowMs, graceMs: jobs.graceMs })
      : new RealTime(lease, api.options.signal, jobs);
  const controlled =
    control === undefined ? undefined : new ControlledWorkers(control, id, { usual: 1, lease });
  const cleanUp = async (): Promise<void> => {
    // A signal of its own: that of the check has fired where it was broken off.
    const signal = AbortSignal.timeout(cleanUpMsMax);
    setMaxListeners(0, signal);
    const cleaner = api.with({ signal, onLacking: undefined });
    // A job left behind would occupy a worker and be counted by the checks that follow. Most of many have ended
    // unseen: to cancel them all would use up the limit of cancel, and checks with jobs at work would wait for it.
    await Promise.all(lease.unfinished.map(async (jobId) => cleaner.status(jobId)));
    await Promise.all(lease.unfinished.map(async (jobId) => cleaner.cancel(jobId)));
    if (control !== undefined) await controlled?.restore(control.with({ signal }));
  };
  const purge = async (): Promise<Exchange> => {
    let isOwn = false;
    const exchange = await lease.purge(async () => {
      isOwn = true;
      return purgeInTurn({ api, time, jobs });
    });
    if (!isOwn) onShared(exchange);
    return exchange;
  };
  return {
    id,
    api,
    purge,
    foreignKey,
    time,
    workers: controlled ?? new OccupiedWorkers({ api, time, jobs }, lease),
    jobs,
    release: cleanUp,
  };
}

interface SharedOptions {
  readonly foreignKey: string | undefined;
  /** Given where the target can set the endpoint's workers. */
  readonly control: ControlClient | undefined;
  /** The check's hold on the endpoint. */
  readonly lease: EndpointLease;
  readonly jobs: Jobs;
  /** Called with an exchange that another check made for this one, too. */
  readonly onShared: (exchange: Exchange) => void;
}

async function purgeInTurn(handle: EndpointHandle): Promise<Exchange> {
  await awaitRateLimitSlot(handle, "purge-queue");
  return handle.api.purgeQueue();
}
