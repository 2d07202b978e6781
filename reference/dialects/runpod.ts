import type { Credentials } from "../behaviour/authentication.ts";
import type { ClockMode } from "../clock.ts";
import { surface, type Route } from "../behaviour/surface.ts";
import type { Job, JsonObject } from "../job.ts";
import type { ReferenceDialect } from "../dialect.ts";

/** How long the live service holds a stream read that has no news and names no time of its own. */
const STREAM_HOLD_MS = 10_000;
const STATUS_SYNC_HOLD_MS = 90_000;
/** The pauses between the end of each failed webhook call and the next call. */
const WEBHOOK_SPACING_MS = [5_000, 15_000];

/** Virtual time moves only between requests, so a held read that names no time would never end. */
const streamHoldMs = (mode: ClockMode): number => (mode === "real" ? STREAM_HOLD_MS : 0);
const statusSyncHoldMs = (): number => STATUS_SYNC_HOLD_MS;

/** The live service, where it departs from the specification or fills its gaps (docs/dialects.md). */
export const runpod: ReferenceDialect = {
  name: "runpod",
  change: ({ operations }) => ({
    surface: { routes: runpodRoutes(), openAi: "chat" },
    authentication: { refusalDetail },
    submission: {
      // The documented upper bounds of 7 days are not enforced.
      acceptsExecutionTimeout: (value) => isIntegerOf(value, 5_000),
      acceptsTtl: (value) => isIntegerOf(value, 10_000),
    },
    lifecycle: { lostError: ({ dispatches }) => `job timed out after ${dispatches - 1} retries` },
    operations: {
      record: (job, context) => ({ ...operations.record(job, context), ...runpodMembers(job) }),
      // Progress updates show as the output of a job at work.
      showsOutput: ({ status, output }) => status === "COMPLETED" || output !== undefined,
      healthAnswer: (counts) => {
        const { jobs } = operations.healthAnswer(counts);
        const idle = Math.max(counts.workersTotal - counts.workersBusy, 0);
        const others = { initializing: 0, ready: idle, throttled: 0, unhealthy: 0 };
        return { jobs, workers: { idle, running: counts.workersBusy, ...others } };
      },
      shape: (body, { operation, job }) =>
        operation === "stream" && job !== undefined
          ? { id: job.id, status: job.status, stream: body }
          : body,
      countsRedispatch: true,
    },
    stream: { element: (output) => ({ output }) },
    webhook: {
      body: (record, { submission: { input, webhook } }) => ({ ...record, input, webhook }),
      spacingMs: ({ attempt }) => WEBHOOK_SPACING_MS[attempt - 1] ?? 0,
      acknowledges: ({ status = 0 }) => status >= 200 && status < 300,
    },
  }),
};

/** The routes for status and stream by GET and POST, with reads that wait for news. */
function runpodRoutes(): readonly Route[] {
  const own = surface.routes.filter(
    ({ operation }) => operation !== "status" && operation !== "stream",
  );
  const reads = (["GET", "POST"] as const).flatMap((method): readonly Route[] => [
    { operation: "status", method, path: "/status/:jobId" },
    { operation: "status", method, path: "/status-sync/:jobId", holdsForMs: statusSyncHoldMs },
    { operation: "stream", method, path: "/stream/:jobId", holdsForMs: streamHoldMs },
  ]);
  return [...own, ...reads, { operation: "openai", method: "GET", path: "/openai/*" }];
}

function refusalDetail({ header }: Credentials): string {
  return header === undefined || header === "" ? "no token provided" : "invalid api key";
}

/** The members of a record beside its state and times; there are none before a worker took the job. */
function runpodMembers({ workerId, dispatches, error }: Job): JsonObject {
  return {
    ...(workerId !== undefined && { workerId }),
    ...(dispatches > 1 && { retries: dispatches - 1 }),
    ...(error !== undefined && { error }),
  };
}

function isIntegerOf(value: unknown, minimum: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= minimum;
}
