import type { Fault } from "../fault.ts";
import type { Job } from "../job.ts";

/** Bugs in a corner that a single check looks into: without them nothing would show that it sees anything. */
export const cornerFaults: readonly Fault[] = [
  {
    name: "cancel/second-cancel-is-a-failure",
    breaks: ["CANC-05"],
    describe: "Cancelling a cancelled job makes it FAILED.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "CANCELLED" ? "FAILED" : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "cancel/frees-two-workers",
    breaks: ["CANC-02"],
    describe: "Cancelling a job in progress frees a worker more than the job had.",
    change: () => ({ operations: { workersFreedBesides: (_job, wasAccepted) => wasAccepted } }),
  },
  {
    name: "states/each-cancel-frees-a-worker",
    breaks: ["LIFE-07"],
    describe: "Each further cancel of a job that was in progress frees another worker.",
    change: () => ({
      operations: {
        workersFreedBesides: ({ status, startedAtMs }, wasAccepted) =>
          !wasAccepted && status === "CANCELLED" && startedAtMs !== undefined,
      },
    }),
  },
  {
    name: "endpoint/requests-answers-as-text",
    breaks: ["ENDP-03"],
    describe: "requests answers its JSON as text/plain.",
    change: ({ operations }) => ({
      operations: {
        contentType: (operation, status) =>
          operation === "requests" && status < 400
            ? "text/plain; charset=utf-8"
            : operations.contentType(operation, status),
      },
    }),
  },
  {
    name: "endpoint/openai-answers-an-array",
    breaks: ["ENDP-05"],
    describe: "openai answers a JSON array.",
    change: ({ operations }) => ({
      operations: {
        shape: (body, context) =>
          context.operation === "openai" ? [body] : operations.shape(body, context),
      },
    }),
  },
  {
    name: "endpoint/errors-are-bytes",
    breaks: ["ENDP-04"],
    describe: "The body of an error is compressed though nobody asked for it.",
    change: ({ transport }) => ({
      transport: {
        serialise: (body, status) =>
          status < 400 ? transport.serialise(body, status) : Buffer.from("1f8b0800fffe80c3", "hex"),
      },
    }),
  },
  {
    name: "endpoint/health-counts-the-whole-server",
    breaks: ["ENDP-02"],
    describe: "health counts among the waiting jobs those of every endpoint of the server.",
    change: ({ submission, operations }) => {
      let submitted = 0;
      return {
        submission: {
          jobId: (operation, uuid, sequence) => {
            submitted += 1;
            return submission.jobId(operation, uuid, sequence);
          },
        },
        operations: {
          healthAnswer: (counts) =>
            operations.healthAnswer({ ...counts, inQueue: counts.inQueue + submitted }),
        },
      };
    },
  },
  {
    name: "policy/ttl-ends-a-little-early",
    breaks: ["POLI-09"],
    describe: "A ttl that was given ends 5 ms early.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        ttlMs: (job) => lifecycle.ttlMs(job) - (job.submission.policy.ttl === undefined ? 0 : 5),
      },
    }),
  },
  {
    name: "retry/failed-runsync-job-is-kept-as-long-as-a-run-job",
    breaks: ["RETR-06"],
    describe: "A runsync job that failed is kept, and can be retried, for 30 minutes.",
    change: ({ retention }) => ({
      retention: {
        keptMs: (job) => (job.status === "FAILED" ? 1_800_000 : retention.keptMs(job)),
      },
    }),
  },
  {
    name: "retry/read-chunks-come-back",
    breaks: ["RETR-04"],
    describe: "Chunks that were read before a retry are shown once more in the second attempt.",
    change: ({ operations }) => ({
      operations: {
        beforeRetry: (job) => {
          const read = job.chunks.slice(0, job.chunksRead);
          operations.beforeRetry(job);
          job.chunks.push(...read);
        },
      },
    }),
  },
  {
    name: "s3/obituary-tells-the-secret",
    breaks: ["S3CF-02"],
    describe: "What is answered about a job whose ttl ran out tells its s3Config.",
    change: ({ lifecycle, operations }) => {
      const buried = new Map<string, unknown>();
      let asked = "";
      return {
        lifecycle: {
          next: (job, event) => {
            if (event === "ttl-ran-out") buried.set(job.id, job.submission.s3Config);
            return lifecycle.next(job, event);
          },
        },
        operations: {
          unknownJobStatus: (operation, jobId) => {
            asked = jobId;
            return operations.unknownJobStatus(operation, jobId);
          },
          errorBody: (status, title, detail) => ({ status, title, detail, of: buried.get(asked) }),
        },
      };
    },
  },
  {
    name: "states/cancel-after-a-retry-times-out",
    breaks: ["LIFE-07"],
    describe: "A job that is cancelled while it waits for its second attempt becomes TIMED_OUT.",
    change: ({ lifecycle }) => ({
      lifecycle: {
        next: (job, event) =>
          event === "cancel" && job.status === "IN_QUEUE" && job.attempt > 1
            ? "TIMED_OUT"
            : lifecycle.next(job, event),
      },
    }),
  },
  {
    name: "states/second-look-at-a-waiting-job-shows-it-working",
    breaks: ["LIFE-01"],
    describe: "Every second status of a waiting job shows IN_PROGRESS.",
    change: ({ operations }) => {
      const reads = new WeakMap<Job, number>();
      return {
        operations: {
          record: (job, context) => {
            const count = (reads.get(job) ?? 0) + 1;
            reads.set(job, count);
            const record = operations.record(job, context);
            return job.status === "IN_QUEUE" && count % 2 === 0
              ? { ...record, status: "IN_PROGRESS" }
              : record;
          },
        },
      };
    },
  },
  {
    name: "status/completed-run-job-has-another-id",
    breaks: ["STAT-01"],
    describe: "status of a completed run job answers with an id that lacks its last character.",
    change: ({ operations }) => ({
      operations: {
        shape: (body, context) => {
          const { job, operation } = context;
          const isCut = operation === "status" && job?.status === "COMPLETED";
          return isCut && job.submittedBy === "run" && typeof body === "object"
            ? { ...body, id: job.id.slice(0, -1) }
            : operations.shape(body, context);
        },
      },
    }),
  },
  {
    name: "status/reading-at-work-wears-the-output-out",
    breaks: ["STAT-08"],
    describe:
      "A job that was read three times while it was in progress completes without its value.",
    change: ({ lifecycle }) => {
      const reads = new WeakMap<Job, number>();
      return {
        operations: {
          afterRead: ({ job }) => {
            if (job?.status === "IN_PROGRESS") reads.set(job, (reads.get(job) ?? 0) + 1);
          },
        },
        lifecycle: {
          keptOutput: (output, job) =>
            (reads.get(job) ?? 0) >= 3 ? {} : lifecycle.keptOutput(output, job),
        },
      };
    },
  },
  {
    name: "stream/keeps-64-chunks",
    breaks: ["STRM-02", "STRM-03"],
    describe: "No more than 64 chunks of a job are kept.",
    change: ({ stream }) => ({
      stream: {
        keep: (job, chunk, isLast) => {
          if (job.chunks.length < 64) stream.keep(job, chunk, isLast);
        },
      },
    }),
  },
  {
    name: "submit/first-two-jobs-share-an-id",
    breaks: ["SUBM-05"],
    describe: "The second job of an endpoint gets the id of the first.",
    change: ({ submission }) => ({
      submission: {
        jobId: (operation, uuid, sequence) =>
          sequence <= 2 ? "first" : submission.jobId(operation, uuid, sequence),
      },
    }),
  },
  {
    name: "submit/policy-inside-the-input-is-refused",
    breaks: ["SUBM-04"],
    describe: "An input with a member named policy is refused.",
    change: ({ submission }) => ({
      submission: {
        inputOf: (body, operation) => {
          const input = submission.inputOf(body, operation);
          return input !== undefined && "policy" in input ? undefined : input;
        },
      },
    }),
  },
  {
    name: "webhook/third-success-is-not-believed",
    breaks: ["HOOK-06"],
    describe: "A call that succeeds on the third attempt is made once more.",
    change: ({ webhook }) => ({
      webhook: {
        attemptsMax: () => 4,
        acknowledges: (outcome) => outcome.attempt !== 3 && webhook.acknowledges(outcome),
      },
    }),
  },
];
