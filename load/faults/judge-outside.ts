import { lastSeen } from "../open-loop/job-book.ts";
import type { FaultJob, FaultObservation, HealthChange } from "./observation.ts";
import { breachOf, statementOf } from "./statement.ts";
import type { StatementBreach, Statement } from "./statement.ts";

/** A call whose acknowledgement was lost at the fault may come again, in ms before it. */
const lostAnswerMs = 1_000;

/** Due webhooks are called, acknowledged ones not again. */
export function judgeWebhooks(seen: FaultObservation): Statement {
  const [fromMs, toMs] = seen.faultMs;
  const calls = new Map<number, { readonly atMs: number; readonly answered: number }[]>();
  for (const call of seen.calls) calls.set(call.number, [...(calls.get(call.number) ?? []), call]);
  const due = seen.jobs.filter(
    (job) =>
      job.hasWebhook && job.retriedMs.length === 0 && lastSeen(job)?.record?.status === "COMPLETED",
  );
  const breaches = due.flatMap((job): StatementBreach[] => {
    const own = calls.get(job.number) ?? [];
    const taken = own.filter(({ answered }) => answered === 200);
    const [first] = taken;
    if (first === undefined) {
      const refused = own.length === 0 ? "" : " again, although its first call was answered 500";
      return [breachOf(job, `completed, and its webhook was not called${refused}`)];
    }
    const again = taken
      .slice(1)
      .find(({ atMs }) => atMs > toMs || first.atMs < fromMs - lostAnswerMs);
    if (again === undefined || (first.atMs > fromMs - lostAnswerMs && first.atMs < toMs)) return [];
    return [breachOf(job, "its webhook was called again after it had been acknowledged")];
  });
  return statementOf(
    {
      id: "webhooks",
      text: "Every webhook that is due is called, and none again that was acknowledged before the fault.",
      by: "records",
    },
    {
      breaches,
      looked: due.length,
      whyNone: "the target does not reach a webhook receiver of ours, or no job completed",
    },
  );
}

/** Counts of health add up again. */
export function judgeCounts(seen: FaultObservation): Statement {
  const looked = seen.health.filter(
    ({ before, after }) => before !== undefined && after !== undefined,
  );
  const breaches = looked.flatMap((change) => countBreaches(change, seen));
  return statementOf(
    {
      id: "counts",
      text: "Counts of health add up again: what completed was added, and nothing waits or works.",
      by: "records",
    },
    { breaches, looked: looked.length, whyNone: "health could not be read before and after" },
  );
}

function countBreaches(
  { endpointId, before, after }: HealthChange,
  { jobs, isAlone }: FaultObservation,
): readonly StatementBreach[] {
  if (before === undefined || after === undefined) return [];
  const own = jobs.filter((job) => job.endpointId === endpointId);
  const known = own.filter(isCompleted).length;
  // A submission without an answer may have made a job, and so may any whose end was not seen.
  const possible = own.filter((job) => isCompleted(job) || mayHaveCompleted(job)).length;
  const more = after.completed - before.completed;
  const job = `health of ${endpointId}`;
  const isTooMany = isAlone && more > possible;
  const due = known === possible ? known : `${known} to ${possible}`;
  const why = `counts ${more} more as completed, where ${due} completed`;
  return [
    ...(more < known || isTooMany ? [{ job, why }] : []),
    ...(["inQueue", "inProgress"] as const)
      .filter((name) => after[name] > (isAlone ? 0 : before[name]))
      .map((name) => ({ job, why: `tells ${after[name]} ${name}, where none is left` })),
  ];
}

function isCompleted(job: FaultJob): boolean {
  return job.sightings.some(({ record }) => record?.status === "COMPLETED");
}

function mayHaveCompleted(job: FaultJob): boolean {
  if (job.answeredMs === undefined) return true;
  return job.id !== undefined && lastSeen(job)?.record === undefined && job.role !== "purged";
}
