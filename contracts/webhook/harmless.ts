import {
  expectGone,
  expectKept,
  finished,
  inputs,
  readBody,
  stateOf,
  submitted,
} from "../../harness/index.ts";
import type { Check, Tools } from "../../harness/index.ts";
import { callsOf, firstCall, spacingMs, submittedWith } from "./calls.ts";

/** How long the result of a run job is kept (RUNA-04). */
const keptMs = 1_800_000;

/** Checks that a failing webhook is nobody else's trouble (HOOK-09). */
export const harmlessChecks: readonly Check[] = [
  {
    name: "webhook/failing-changes-nothing",
    title: "a webhook that always fails changes nothing of its job, during the attempts and after",
    covers: ["HOOK-09"],
    realTimeMs: 2 * spacingMs + 3000,
    run: async (tools) => {
      const hook = (await tools.receiver()).hook(500);
      const job = await finished(
        tools,
        await submittedWith(tools, hook, { input: inputs.echo({ kept: true }) }),
      );
      await firstCall(tools, hook);
      for (const attempts of [1, 2, 3]) {
        if (attempts > 1) await callsOf(tools, hook, attempts, spacingMs + 1);
        const at = `after attempt ${String(attempts)}`;
        await tools.time.settle();
        const record = tools.expect.record(await tools.api.status(job.id), at);
        tools.expect.equal(knownOf(record), knownOf(job.record), at);
      }
    },
  },
  {
    name: "webhook/failing-keeps-nothing-longer",
    title: "the result of a job whose webhook always fails is kept for 30 minutes, and not longer",
    covers: ["HOOK-09"],
    realTimeMs: keptMs + 10_000,
    run: async (tools) => {
      const { api, time, expect } = tools;
      const hook = (await tools.receiver()).hook(500);
      const job = await finished(
        tools,
        await submittedWith(tools, hook, { input: inputs.echo("kept") }),
      );
      await callsOf(tools, hook, 3, 2 * spacingMs + 1);
      const read = async () => api.status(job.id);
      const within = await time.before(job.finishedAt, keptMs, read);
      expectKept(expect, within.exchange, { job, at: "just within 30 minutes" });
      const later = await time.after(job.finishedAt, keptMs, read);
      expectGone(expect, later.exchange, "just after 30 minutes");
    },
  },
  {
    name: "webhook/failing-delays-no-job",
    title: "while webhooks fail, their workers take the next jobs",
    covers: ["HOOK-09"],
    exclusive: true,
    run: async (tools) => {
      const receiver = await tools.receiver();
      const hooks = Array.from({ length: await workerCount(tools) }, () => receiver.hook(500));
      for (const hook of hooks) {
        await finished(tools, await submittedWith(tools, hook, { input: inputs.echo("failing") }));
      }
      for (const hook of hooks) await firstCall(tools, hook);
      await expectPrompt(tools, "a job after failing webhooks");
    },
  },
  {
    name: "webhook/refused-delays-no-job",
    title: "while a webhook's connection is refused, its worker takes the next job",
    covers: ["HOOK-09"],
    exclusive: true,
    run: async (tools) => {
      const receiver = await tools.receiver();
      const { hook } = await receiver.closedHook();
      for (let jobs = await workerCount(tools); jobs > 0; jobs -= 1) {
        await finished(tools, await submittedWith(tools, hook, { input: inputs.echo("refused") }));
      }
      await tools.time.settle();
      await expectPrompt(tools, "a job after refused webhooks");
    },
  },
];

/** An echo submitted now has to complete with the time that any job may take, far below the 10 s of an attempt. */
async function expectPrompt(tools: Tools, at: string): Promise<void> {
  const { api, time, expect } = tools;
  const job = await submitted(tools, inputs.echo("prompt"));
  const state = await time.until(
    async () => stateOf(await api.status(job.id)),
    (seen) => seen !== "IN_QUEUE" && seen !== "IN_PROGRESS",
  );
  expect.equal(state, "COMPLETED", at);
}

/** How many workers there are, within reason; 1 where health does not tell. */
async function workerCount({ api }: Tools): Promise<number> {
  const health = readBody(await api.health(), "HealthAnswer");
  if (!health.ok) return 1;
  const { idle, running } = health.body.workers;
  return Math.max(1, Math.min(8, idle + running));
}

/** The members that the specification names: others may show anything. */
function knownOf(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { id, status, output, delayTime, executionTime } = record;
  return { id, status, output, delayTime, executionTime };
}
