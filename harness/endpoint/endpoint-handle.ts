import type { JobClient } from "../../client/job-client.ts";
import type { Jobs } from "../inputs/jobs.ts";
import type { EndpointTime } from "./time.ts";

/** What a fixture needs of an endpoint: its client, its time, and what its workers can be asked to do. */
export interface EndpointHandle {
  /** A client with a key that is valid here. */
  readonly api: JobClient;
  readonly time: EndpointTime;
  readonly jobs: Jobs;
}
