import type { CheckContext } from "../../harness/check-context.ts";
import type { JobInput } from "../../harness/inputs/jobs.ts";
import type { SubmittedJob } from "../../harness/jobs/fixtures.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { sampleMs } from "../status/ttl.ts";

export const executionTimeout = 10_000;
/** The ttl where it is to end the job, and where it is not. Whether a retry starts a ttl anew is open. */
export const ttls = { ends: 16_000, lasts: 600_000 };

/** The states that an expired job may not have. */
export const unfinishedOrDone: ReadonlySet<string> = new Set([
  "IN_QUEUE",
  "IN_PROGRESS",
  "COMPLETED",
]);

/** One way to end for a job that waits for a worker in its last attempt. */
export interface Ending {
  readonly name: string;
  /** The requirement that is broken where the job does not end in this way. */
  readonly requirement: RequirementId;
  readonly ttl: number;
  readonly input: (context: CheckContext, isRetried: boolean) => JobInput;
  /** Brings the end about; absent: it comes by itself. Where `works` is true, there are workers already. */
  readonly happen?: (context: CheckContext, job: SubmittedJob) => Promise<void>;
  readonly works: boolean;
  /** The states allowed in the end. Empty: any in which a job neither waits nor works nor has completed. */
  readonly states: readonly string[];
}

const slow = ({ jobs }: CheckContext): JobInput => jobs.slow(600_000, "never");
const cancel = async ({ api, expect }: CheckContext, { id }: SubmittedJob): Promise<void> => {
  expect.of("CANC-02").accepted(await api.cancel(id), "cancel");
};

export const endings: readonly Ending[] = [
  {
    name: "completes",
    ttl: ttls.lasts,
    requirement: "LIFE-03",
    input: ({ jobs }, isRetried) => jobs.failingFirst(isRetried ? 1 : 0, "done"),
    works: true,
    states: ["COMPLETED"],
  },
  {
    name: "fails",
    ttl: ttls.lasts,
    requirement: "LIFE-04",
    input: ({ jobs }) => jobs.failing("asked to"),
    works: true,
    states: ["FAILED"],
  },
  {
    name: "times out",
    ttl: ttls.lasts,
    requirement: "POLI-04",
    input: slow,
    happen: async ({ time }) => time.pass(executionTimeout + 1),
    works: true,
    states: ["TIMED_OUT"],
  },
  {
    name: "expires at work",
    ttl: ttls.ends,
    requirement: "POLI-09",
    input: slow,
    happen: async ({ time }) => time.pass(executionTimeout - 1),
    works: true,
    states: [],
  },
  {
    name: "expires in the queue",
    ttl: ttls.ends,
    requirement: "POLI-08",
    input: slow,
    happen: async ({ time }) => time.pass(ttls.ends + 1),
    works: false,
    states: [],
  },
  {
    name: "expires by the ttl of status",
    ttl: ttls.lasts,
    requirement: "STAT-06",
    input: slow,
    happen: async ({ api, time }, { id }) => {
      await api.status(id, { ttl: sampleMs });
      await time.pass(sampleMs + 1);
    },
    works: false,
    states: [],
  },
  {
    name: "is cancelled at work",
    ttl: ttls.lasts,
    requirement: "CANC-04",
    input: slow,
    happen: cancel,
    works: true,
    states: ["CANCELLED"],
  },
  {
    name: "is cancelled in the queue, which then is purged",
    ttl: ttls.lasts,
    requirement: "CANC-04",
    input: slow,
    happen: async (context, job) => {
      await cancel(context, job);
      await context.endpoint.purge();
    },
    works: false,
    states: ["CANCELLED"],
  },
];
