import { randomUUID } from "node:crypto";

import { bodyOf } from "../client/parsed-body.ts";
import type { Answer, Exchange } from "../client/exchange.ts";
import { answerOf } from "../harness/read.ts";
import {
  runToCompletion,
  runToFailure,
  readJob,
  requireState,
  submitJob,
} from "../harness/jobs/fixtures.ts";
import { countJobs } from "../harness/jobs/counts.ts";
import { offeredCalls } from "../harness/jobs/every-operation.ts";
import { stateOf } from "../harness/record.ts";
import { awaitRateLimitSlot } from "../harness/endpoint/rate-limit-slot.ts";
import { Inconclusive, Unsupported } from "../harness/outcome.ts";
import type { Check } from "../harness/check.ts";
import type { CheckContext } from "../harness/check-context.ts";
import { answerChecks } from "./endpoint/answers.ts";

/** Checks of endpoints and of what every answer has in common (docs/specification.md#endpoints). */
export const endpointChecks: readonly Check[] = [
  {
    name: "endpoint/unknown-endpoint",
    title: "every operation on an endpoint id that nobody has answers 404, or 401",
    covers: ["ENDP-01"],
    run: async (context) => {
      await expectUnknown(context, `queueproof-${randomUUID()}`, "an unknown endpoint");
    },
  },
  {
    name: "endpoint/longer-endpoint-id",
    title: "an id that begins like an endpoint's own is unknown",
    covers: ["ENDP-01"],
    run: async (context) => {
      const { id } = context.endpoint;
      await expectUnknown(context, `${id}-${randomUUID()}`, "an id that begins like a known one");
    },
  },
  {
    name: "endpoint/shorter-endpoint-id",
    title: "the beginning of an endpoint's own id does not lead to its jobs",
    covers: ["ENDP-01"],
    run: async (context) => {
      const { api, endpoint, expect } = context;
      const endpointId = endpoint.id.slice(0, -1);
      if (endpointId === "") throw new Unsupported("the endpoint's id has one character");
      const { id } = await submitJob(context, context.jobs.quick("a job to ask about"));
      // Where another endpoint has this id, it does not know the job (STAT-09), and reading does no harm there.
      const exchange = await api.with({ endpointId }).status(id);
      expect.status(exchange, [404, 401, 400], "status on the beginning of a known id");
    },
  },
  {
    name: "endpoint/foreign-job-is-unknown",
    title: "status, stream, cancel and retry do not know the job of another endpoint",
    covers: ["ENDP-02"],
    needs: ["endpoints", "handler"],
    exclusive: true,
    run: async (context) => {
      const other = await context.anotherEndpoint();
      const completed = await runToCompletion(context);
      const failed = await runToFailure(context);
      await context.workers.whileStalled(async () => {
        const jobs = [
          ["completed", completed.id],
          ["failed", failed.id],
          ["queued", await queuedJob(context)],
        ] as const;
        for (const [state, id] of jobs) {
          for (const call of offeredCalls(context).filter(({ ofJob }) => ofJob)) {
            const at = `${call.name} of another endpoint's ${state} job`;
            context.expect.status(await call.send(other.api, id), [404, 400], at);
          }
        }
      });
    },
  },
  {
    name: "endpoint/foreign-call-changes-nothing",
    title: "cancel, retry and a ttl of status under another endpoint leave a job as it is",
    covers: ["ENDP-02"],
    needs: ["endpoints", "handler"],
    exclusive: true,
    run: async (context) => {
      const { expect, workers, time } = context;
      const other = await context.anotherEndpoint();
      const { id: failedId } = await runToFailure(context);
      const queuedId = await workers.whileStalled(async () => {
        const id = await queuedJob(context);
        await other.api.retry(failedId);
        await other.api.cancel(id);
        await Promise.all([time.settle(), other.time.settle()]);
        const failed = await readJob(context, failedId);
        expect.equal(failed.status, "FAILED", "failed job after a retry");
        const queued = await readJob(context, id);
        expect.equal(queued.status, "IN_QUEUE", "queued job after cancel");
        await other.api.status(id, { ttl: 6000 });
        await Promise.all([time.advance(8000), other.time.advance(8000)]);
        const state = stateOf(await context.api.status(id));
        expect.equal(state, "IN_QUEUE", "queued job after a status with ttl");
        return id;
      });
      const got = await time.until(
        async () => stateOf(await context.api.status(queuedId)),
        (state) => state === "COMPLETED",
      );
      expect.equal(got, "COMPLETED", "queued job after cancel, once a worker is free");
    },
  },
  {
    name: "endpoint/own-jobs-only",
    title: "a job counts in the health of its own endpoint only, and no other endpoint runs it",
    covers: ["ENDP-02"],
    needs: ["endpoints", "handler"],
    exclusive: true,
    run: async (context) => {
      const other = await context.anotherEndpoint();
      const before = await countJobs(other);
      await context.workers.whileStalled(async () => {
        const queuedId = await queuedJob(context);
        await runToCompletion(other, "the other endpoint is at work");
        context.expect.equal(await countJobs(other), before + 1, "jobs of the other endpoint");
        const { status } = await readJob(context, queuedId);
        context.expect.equal(status, "IN_QUEUE", "a job whose own endpoint has no worker free");
      });
    },
  },
  ...answerChecks,
  {
    name: "endpoint/error-body",
    title: "the shape of an error body is one the specification leaves room for",
    covers: ["ENDP-04"],
    run: async (context) => {
      const { api, expect } = context;
      const errors = [
        await api.run({}),
        await api.with({ apiKey: undefined }).health(),
        await api.with({ endpointId: `queueproof-${randomUUID()}` }).health(),
        await api.status("no-such-job"),
      ];
      const shapes = new Map(
        errors
          .filter((exchange) => answerOf(exchange).status >= 400)
          .map((exchange) => [shapeOf(exchange), exchange.operation]),
      );
      if (shapes.size === 0) throw new Inconclusive("no request was answered with an error");
      for (const [shape, operation] of shapes) expect.reading(shape, `error of ${operation}`);
    },
  },
];

/** Expects 404 or 401 from every operation: no key can have a permission on an endpoint that does not exist. */
async function expectUnknown(
  context: CheckContext,
  endpointId: string,
  label: string,
): Promise<void> {
  const client = context.api.with({ endpointId });
  const { id } = await submitJob(context, context.jobs.quick("a job to ask about"));
  for (const call of offeredCalls(context)) {
    await awaitRateLimitSlot({ api: client, time: context.time }, call.name);
    const exchange = await call.send(client, id);
    context.expect.status(exchange, [404, 401], `${call.name} on ${label}`);
  }
}

async function queuedJob(context: CheckContext): Promise<string> {
  const { id } = await submitJob(context, context.jobs.quick("waits"));
  requireState({ record: await readJob(context, id) }, "IN_QUEUE");
  return id;
}

/** Whether a body is text: either UTF-8, or in another encoding that its Content-Type names. */
function isText({ unreadable, headers }: Answer): boolean {
  return (
    unreadable === undefined ||
    /charset=/i.test(headers["content-type"]?.replace(/charset="?utf-8/i, "") ?? "")
  );
}

function shapeOf(exchange: Exchange): string {
  const answer = answerOf(exchange);
  if (answer.rawText() === "") return "empty body";
  if (!isText(answer)) return "bytes that are no text";
  const parsed = bodyOf(answer);
  if (!parsed.ok) return "text";
  const { value } = parsed;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? "a JSON object" : "any JSON value";
}
