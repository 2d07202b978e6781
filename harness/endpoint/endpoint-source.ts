import { ControlClient } from "../../client/control-client.ts";
import type { Transport } from "../../client/transport.ts";
import { openTransport } from "../open-transport.ts";
import { rulesFor } from "../../client/request-rules.ts";
import type { EndpointOptions } from "../../client/control-client.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import { Unsupported } from "../outcome.ts";
import type { Target } from "../target.ts";

/** What is needed to get an endpoint of a target: where it is, its key and what it offers. */
export type TargetAccess = Pick<
  Target,
  | "apiKey"
  | "baseUrl"
  | "capabilities"
  | "controlUrl"
  | "dialect"
  | "discovery"
  | "endpointId"
  | "jobs"
  | "rules"
>;

/** Whether a target makes fresh endpoints. */
export function makesEndpoints({
  controlUrl,
  capabilities,
}: Pick<TargetAccess, "controlUrl" | "capabilities">): boolean {
  return controlUrl !== undefined && capabilities.includes("endpoints");
}

/** Whether there is an endpoint of a target, or one can be made. */
export function hasEndpoint(target: TargetAccess): boolean {
  return makesEndpoints(target) || (target.endpointId !== undefined && target.apiKey !== undefined);
}

export interface EndpointKey {
  readonly endpointId: string;
  readonly apiKey: string;
}

/** Enough for the control protocol and single requests: load opens its own connections. */
const connectionsMax = 8;

/** Gives out endpoints: fresh ones of the control protocol, which are freed together, or the one that was named. */
export class EndpointSource {
  readonly target: TargetAccess;
  /** How requests are sent. */
  readonly rules: RequestRules;
  readonly transport: Transport;
  /** Absent where the target has no control protocol. */
  readonly control: ControlClient | undefined;
  readonly #made: string[] = [];

  constructor(target: TargetAccess, signal?: AbortSignal) {
    this.target = target;
    this.rules = rulesFor(target);
    this.transport = openTransport(this.rules, target.discovery, connectionsMax);
    if (target.controlUrl !== undefined) {
      this.control = new ControlClient(this.transport, target.controlUrl, { signal });
    }
  }

  get areFresh(): boolean {
    return makesEndpoints(this.target);
  }

  /**
   * A fresh endpoint where the target makes them, else the one there is.
   * @throws Unsupported where there is none
   */
  async next(options: EndpointOptions): Promise<EndpointKey> {
    if (this.control !== undefined && this.areFresh) {
      const made = await this.control.createEndpoint(options);
      this.#made.push(made.endpointId);
      return made;
    }
    const { endpointId, apiKey } = this.target;
    if (endpointId === undefined || apiKey === undefined) {
      throw new Unsupported(
        "the target makes no fresh endpoints, and no endpoint and key were given",
      );
    }
    return { endpointId, apiKey };
  }

  /** Frees the endpoints that were made, and ends every connection. */
  async close(): Promise<void> {
    for (const endpointId of this.#made) {
      await this.control?.deleteEndpoint(endpointId).catch(() => undefined);
    }
    await this.transport.close();
  }
}
