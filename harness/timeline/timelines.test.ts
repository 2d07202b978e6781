import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../../reference/start-reference.ts";
import { capabilities } from "../../openapi/capabilities.ts";
import { inputs } from "../inputs/conformance-jobs.ts";
import { waitUntilReadable, submitJob } from "../jobs/fixtures.ts";
import type { RequirementResult } from "../judge.ts";
import { runCheck } from "../run-check.ts";
import { Session } from "../session.ts";
import type { ActingCheck } from "../check.ts";

/** What a check of one requirement is judged as, against the reference on a virtual clock. */
async function resultOf(run: ActingCheck["run"]): Promise<RequirementResult | undefined> {
  const reference = await startReference({});
  const { baseUrl, controlUrl = "" } = reference;
  const session = new Session({ baseUrl, controlUrl, capabilities }, 1);
  onTestFinished(async () => {
    await session.close();
    await reference.stop();
  });
  const check: ActingCheck = {
    name: "a/check",
    title: "a check",
    covers: ["STAT-01"],
    needs: [],
    run,
  };
  const { results } = await runCheck(check, session, { timeBudgetMs: 0 });
  const [result] = results;
  return result;
}

test("a failed check tells the life of its job: states, a retry, the end that was waited for", async () => {
  const result = await resultOf(async ({ api, time, jobs, expect: demand }) => {
    const job = await submitJob({ api, time, jobs }, inputs.fail("on purpose"));
    await time.pass(2000);
    await api.status(job.id);
    await api.status(job.id);
    await api.retry(job.id);
    await time.settle();
    const { exchange } = await time.after(job.submittedAt, 10_000, async () => api.status(job.id));
    demand.equal(exchange.answer?.status, 404, `status of ${job.id}`);
  });

  expect(result?.verdict).toBe("fail");
  expect(result?.timelines).toMatchObject([
    {
      clock: "virtual",
      states: [
        { status: "IN_QUEUE", fromMs: 0, toMs: 0 },
        { status: "FAILED", fromMs: 2000, toMs: 2000 },
        { status: "IN_QUEUE", fromMs: 2000, toMs: 2000 },
        { status: "FAILED", fromMs: 10_001, toMs: 10_001 },
      ],
      events: [
        { kind: "submit", text: "run: 200 IN_QUEUE", fromMs: 0 },
        { kind: "read", text: "status: 200 FAILED", times: 2, fromMs: 2000, toMs: 2000 },
        { kind: "retry", text: "retry: 200 IN_QUEUE", fromMs: 2000 },
        { kind: "read", text: "status: 200 FAILED", fromMs: 10_001 },
      ],
      due: [{ afterMs: 10_000, fromMs: 10_000, toMs: 10_000 }],
    },
  ]);
});

test("webhook attempts stand in the span of virtual time in which they came, with their answers", async () => {
  const result = await resultOf(async ({ api, time, jobs, receiver, expect: demand }) => {
    const hook = (await receiver()).hook(500, 200);
    await submitJob({ api, time, jobs }, inputs.echo(1), { webhook: hook.url });
    await time.pass(1000);
    await time.pass(20_000);
    demand.equal(hook.attempts.length, 0, "attempts");
  });

  const calls = result?.timelines?.[0]?.events.filter(({ kind }) => kind === "webhook");
  expect(calls).toEqual([
    { kind: "webhook", text: "webhook, answered with 500", fromMs: 0, toMs: 1000 },
    { kind: "webhook", text: "webhook, answered with 200", fromMs: 1000, toMs: 21_000 },
  ]);
});

test("of many jobs those that a difference names come first, and no secret is told", async () => {
  const result = await resultOf(async ({ api, time, jobs, expect: demand }) => {
    const submitted = [];
    for (let count = 0; count < 10; count += 1) {
      const job = await submitJob({ api, time, jobs }, inputs.echo(count));
      submitted.push(await waitUntilReadable({ api, time, jobs }, job));
    }
    demand.equal(1, 2, `job ${submitted[7]?.id ?? ""}`);
  });

  expect(result?.timelines).toHaveLength(6);
  expect(result?.mismatches[0]?.at).toContain(result?.timelines?.[0]?.job);
});

test("a pass tells of no job but those whose end was waited for", async () => {
  const result = await resultOf(async ({ api, time, jobs, expect: demand }) => {
    const other = await submitJob({ api, time, jobs }, inputs.echo(1));
    const job = await submitJob({ api, time, jobs }, inputs.echo(2));
    await time.before(job.submittedAt, 5000, async () => api.status(job.id));
    demand.accepted(await api.status(other.id));
  });

  expect(result?.verdict).toBe("pass");
  expect(result?.timelines).toHaveLength(1);
  expect(result?.timelines?.[0]?.due).toEqual([{ afterMs: 5000, fromMs: 5000, toMs: 5000 }]);
});
