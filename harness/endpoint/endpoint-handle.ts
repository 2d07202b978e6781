import type { JobClient } from "../../client/index.ts";
import type { EndpointTime } from "./time.ts";

/** Where a fixture works: any endpoint's client and time. */
export interface EndpointHandle {
  readonly api: JobClient;
  readonly time: EndpointTime;
}
