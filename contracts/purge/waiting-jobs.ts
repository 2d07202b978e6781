import { submitJob } from "../../harness/index.ts";
import type { CheckContext, SubmittedJob } from "../../harness/index.ts";
import { webhookFor } from "../webhook/calls.ts";

/** Submits a job with a webhook, where the target can call one, and one whose ttl is set by status. */
export async function submitMarked(context: CheckContext): Promise<readonly SubmittedJob[]> {
  const { api, jobs } = context;
  const hooked = await submitJob(context, jobs.quick("purged"), await webhookFor(context));
  const read = await submitJob(context, jobs.quick("purged"));
  await api.status(read.id, { ttl: 600_000 });
  return [hooked, read];
}
