import { setMaxListeners } from "node:events";

import type { ControlClient, EndpointOptions, JobClient, Redactor } from "../../client/index.ts";
import type { EndpointLease } from "./endpoint-lease.ts";
import { RealTime, VirtualTime } from "./time.ts";
import type { EndpointTime } from "./time.ts";
import { ControlledWorkers, OccupiedWorkers } from "./workers.ts";
import type { EndpointWorkers } from "./workers.ts";

/** One endpoint a check works on: its own where fresh ones can be made, else the shared one. */
export interface TestEndpoint {
  readonly id: string;
  /** A client with a key that is valid here. */
  readonly api: JobClient;
  /** A key that is valid elsewhere, and has no permission here. */
  readonly foreignKey: string | undefined;
  readonly time: EndpointTime;
  readonly workers: EndpointWorkers;
  /** Frees the endpoint, or sets free what the check kept busy. */
  release: () => Promise<void>;
}

interface Gate {
  /** Learns the keys of the endpoint. */
  readonly redactor: Redactor;
  readonly clientFor: (endpointId: string, apiKey: string) => JobClient;
  readonly onEndpoint: (endpointId: string) => void;
  readonly lease: EndpointLease;
  readonly signal: AbortSignal | undefined;
}

/** Makes a fresh endpoint through the control protocol. */
export async function freshEndpoint(
  control: ControlClient,
  { redactor, clientFor, onEndpoint, lease, signal }: Gate,
  options: EndpointOptions,
): Promise<TestEndpoint> {
  const { endpointId: id, apiKey, foreignKey } = await control.createEndpoint(options);
  redactor.add("api key", apiKey);
  redactor.add("foreign key", foreignKey);
  onEndpoint(id);
  const { nowMs, mode } = await control.clock(id);
  const time =
    mode === "virtual" ? new VirtualTime(control, id, nowMs) : new RealTime(lease, signal);
  let released = false;
  return {
    id,
    api: clientFor(id, apiKey),
    foreignKey,
    time,
    workers: new ControlledWorkers(control, id, { usual: options.workers ?? 1, own: true }),
    release: async () => {
      if (released) return;
      released = true;
      await control.deleteEndpoint(id);
    },
  };
}

const cleanUpMsMax = 10_000;

/** The one endpoint the user named, which all checks share. */
export async function sharedEndpoint(
  api: JobClient,
  { foreignKey, control, lease }: SharedOptions,
): Promise<TestEndpoint> {
  const id = api.options.endpointId;
  const clock = await control?.clock(id);
  const time =
    control !== undefined && clock?.mode === "virtual"
      ? new VirtualTime(control, id, clock.nowMs)
      : new RealTime(lease, api.options.signal);
  const controlled =
    control === undefined
      ? undefined
      : new ControlledWorkers(control, id, { usual: 1, own: lease.isExclusive });
  const cleanUp = async (): Promise<void> => {
    // Also where the check was broken off: its own signal has fired by then.
    const signal = AbortSignal.timeout(cleanUpMsMax);
    setMaxListeners(0, signal);
    const cleaner = api.with({ signal });
    // A job left behind would occupy a worker and be counted by the checks that follow.
    await Promise.all(lease.unfinished.map(async (jobId) => cleaner.cancel(jobId)));
    if (control !== undefined) await controlled?.restore(control.with({ signal }));
  };
  return {
    id,
    api,
    foreignKey,
    time,
    workers: controlled ?? new OccupiedWorkers(api, time, lease),
    release: cleanUp,
  };
}

interface SharedOptions {
  readonly foreignKey: string | undefined;
  /** Given where the target can set the endpoint's workers. */
  readonly control: ControlClient | undefined;
  /** The check's place among the others. */
  readonly lease: EndpointLease;
}
