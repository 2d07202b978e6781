import type { Exchange } from "../../client/exchange.ts";
import type { JobClient } from "../../client/job-client.ts";
import { isOptionalOperation } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { CheckContext } from "../check-context.ts";
import type { Jobs } from "../inputs/jobs.ts";

/** One operation, called in its plainest way. */
export interface OperationCall {
  readonly name: OperationName;
  /** Whether its path names a job. */
  readonly ofJob: boolean;
  readonly send: (api: JobClient, jobId: string) => Promise<Exchange>;
}

/** A wait as short as may be asked for: where the job does not end, the answer still comes soon. */
const waitMs = 1000;

const callsWith = (jobs: Jobs): readonly OperationCall[] => [
  { name: "run", ofJob: false, send: (api) => api.run({ input: jobs.quick("run") }) },
  {
    name: "runsync",
    ofJob: false,
    send: (api) => api.runsync({ input: jobs.quick("runsync") }, { wait: waitMs }),
  },
  { name: "status", ofJob: true, send: (api, jobId) => api.status(jobId) },
  { name: "stream", ofJob: true, send: (api, jobId) => api.stream(jobId) },
  { name: "cancel", ofJob: true, send: (api, jobId) => api.cancel(jobId) },
  { name: "retry", ofJob: true, send: (api, jobId) => api.retry(jobId) },
  { name: "purge-queue", ofJob: false, send: (api) => api.purgeQueue() },
  { name: "health", ofJob: false, send: (api) => api.health() },
  { name: "openai", ofJob: false, send: (api) => api.openai({ messages: [] }) },
  { name: "requests", ofJob: false, send: (api) => api.requests() },
];

/** The operations that the target has: eight, or fewer in a dialect, and the two optional ones where it offers them. */
export function offeredCalls({
  offers,
  lacks,
  jobs,
}: Pick<CheckContext, "offers" | "lacks" | "jobs">): readonly OperationCall[] {
  return callsWith(jobs).filter(({ name }) => {
    if (lacks(name)) return false;
    return !isOptionalOperation(name) || offers(name);
  });
}
