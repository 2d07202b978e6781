import type { EndpointOptions } from "../client/control-client.ts";
import { startReference as startEmbedded } from "../reference/start-reference.ts";
import type { Reference, ReferenceOptions } from "../reference/start-reference.ts";
import { Control } from "./control.ts";
import type { EndpointControl } from "./control.ts";

/** The embedded implementation, with endpoints for tests. */
export interface ReferenceApi extends Reference {
  /**
   * Makes an endpoint, by default with one worker and a virtual clock.
   * @throws Error where it was started without its control protocol
   */
  endpoint(options?: EndpointOptions): Promise<EndpointControl>;
}

/**
 * Starts the embedded implementation of the v2 API on a free port of this machine.
 * @throws the error of Node where it cannot listen (`code` EADDRINUSE)
 */
export async function startReference(options: ReferenceOptions = {}): Promise<ReferenceApi> {
  const reference = await startEmbedded(options);
  const { baseUrl, controlUrl } = reference;
  const control = controlUrl === undefined ? undefined : new Control({ baseUrl, controlUrl });
  return {
    ...reference,
    endpoint: async (wanted) => {
      if (control === undefined) throw new Error("it was started with `control: false`");
      return control.endpoint(wanted);
    },
    stop: async (how) => {
      await control?.close();
      await reference.stop(how);
    },
  };
}
