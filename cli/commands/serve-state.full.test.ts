import { join } from "node:path";
import { expect, test } from "vitest";
import { startCommand, startCommandWithFileSizeLimit } from "../../test/cli/command.ts";
import { record } from "../../test/cli/record.ts";
import { servedBy, startServe } from "../../test/cli/served.ts";
import type { ServedProcess } from "../../test/cli/served.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

async function serve(directory: string): Promise<ServedProcess> {
  const state = ["--state", join(directory, "state.db")];
  return startServe([...state, "--workers", "4", "--allowance", "100000"], directory);
}

/** A job that was accepted, and whether a client has read that it ended. */
interface Accepted {
  readonly submission: Submission;
  hasEnded: boolean;
}

interface Submission {
  readonly input: { readonly op: string; readonly ms?: number; readonly value: string };
  readonly policy: { readonly ttl: number };
}

/** Makes the submission with this number. The first two occupy a worker for longer than the test; no two are equal. */
function submissionAt(at: number): Submission {
  const input = { value: `the ${at}th, ${"x".repeat(at % 50)}` };
  const policy = { ttl: 3_600_000 + at };
  if (at < 2) return { input: { op: "sleep", ms: 3_600_000, ...input }, policy };
  return at % 3 === 0
    ? { input: { op: "sleep", ms: 300, ...input }, policy }
    : { input: { op: "echo", ...input }, policy };
}

let submissions = 0;

/** Submits without a pause until the server is gone, and records every accepted job. */
async function submitUntilGone(
  { call }: ServedProcess,
  accepted: Map<string, Accepted>,
): Promise<void> {
  for (;;) {
    const submission = submissionAt(submissions);
    submissions += 1;
    try {
      const answer = await call("POST", "/run", submission);
      if (answer.status === 200) {
        accepted.set(String(answer.body["id"]), { submission, hasEnded: false });
      }
    } catch {
      return;
    }
  }
}

/** Reads all jobs repeatedly until the server is gone, and records which of them had ended. */
async function readUntilGone(
  { call }: ServedProcess,
  accepted: Map<string, Accepted>,
): Promise<void> {
  for (;;) {
    // The unknown id keeps the loop reading even where nothing was accepted yet.
    const ids = [...accepted.keys(), "none"];
    for (const id of ids) {
      const answer = await call("GET", `/status/${id}`).catch(() => undefined);
      if (answer === undefined) return;
      const job = accepted.get(id);
      if (job !== undefined) job.hasEnded ||= answer.body["status"] === "COMPLETED";
    }
  }
}

/** Returns the accepted jobs that the server does not show as submitted, or shows in an impossible state. */
async function wrongOf(
  { own, told }: ServedProcess,
  accepted: ReadonlyMap<string, Accepted>,
): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (const [id, { submission, hasEnded }] of accepted) {
    const { status, body } = await own(
      "GET",
      `/__console/endpoints/${told["endpointId"]}/jobs/${id}`,
    );
    const asSubmitted = JSON.stringify(body["request"]) === JSON.stringify(submission);
    const isCompleted = body["status"] === "COMPLETED";
    const isRight = isCompleted
      ? record(body["output"])["value"] === submission.input.value
      : !hasEnded && (body["status"] === "IN_QUEUE" || body["status"] === "IN_PROGRESS");
    if (status !== 200 || !asSubmitted || !isRight) wrong.push({ submission, hasEnded, body });
  }
  return wrong;
}

test("killed under load again and again, it comes back with every job it has accepted", async () => {
  const directory = temporaryDirectory();
  const accepted = new Map<string, Accepted>();
  let served = await serve(directory);
  for (let round = 0; round < 5; round += 1) {
    const before = accepted.size;
    const now = served;
    const clients = Array.from({ length: 8 }, () => submitUntilGone(now, accepted));
    const readers = [readUntilGone(now, accepted), readUntilGone(now, accepted)];
    await expect.poll(() => accepted.size - before).toBeGreaterThan(100);
    now.running.kill("SIGKILL");
    await Promise.all([...clients, ...readers]);
    await now.running.exit;
    served = await serve(directory);
    expect(await wrongOf(served, accepted)).toEqual([]);
  }
  expect([...accepted.values()].filter(({ hasEnded }) => hasEnded).length).toBeGreaterThan(0);

  // No worker is lost: a job in progress is in progress again or in the queue, and an ended job is counted once.
  const { body: health } = await served.call("GET", "/health");
  const { idle, running } = record(health["workers"]);
  expect(Number(idle) + Number(running)).toBe(4);
  const { inQueue, inProgress, completed } = record(health["jobs"]);
  expect(inProgress).toBe(running);
  expect(inQueue === 0 || idle === 0).toBe(true);
  const held = Number(inQueue) + Number(inProgress) + Number(completed);
  // Jobs may exist whose answer was on its way when the server was killed: at most one for each client.
  expect(held).toBeGreaterThanOrEqual(accepted.size);
  expect(held).toBeLessThanOrEqual(accepted.size + 5 * 8);
});

test("a request under way is answered after SIGTERM, and the next start has what it answered", async () => {
  const directory = temporaryDirectory();
  const first = await serve(directory);
  const input = { op: "sleep", ms: 1_500, value: "in time" };
  const held = first.call("POST", "/runsync", { input });
  const inProgress = async (): Promise<unknown> =>
    record((await first.call("GET", "/health")).body["jobs"])["inProgress"];
  await expect.poll(inProgress).toBe(1);
  first.running.kill("SIGTERM");
  const { body } = await held;
  expect(body).toMatchObject({ status: "COMPLETED", output: { value: "in time" } });
  expect(await first.running.exit).toMatchObject({ exitCode: 0, errors: "" });

  const second = await serve(directory);
  const again = await second.call("GET", `/status/${String(body["id"])}`);
  expect(again.body).toMatchObject({ status: "COMPLETED", output: { value: "in time" } });
});

function submit({ call }: ServedProcess, value: string): ReturnType<typeof call> {
  return call("POST", "/run", { input: { op: "echo", value } });
}

test("where the file cannot be written, SIGTERM ends it with exit code 3 and the cause", async () => {
  const directory = temporaryDirectory();
  const words = ["serve", "--json", "--state", join(directory, "state.db")];
  const first = await servedBy(startCommandWithFileSizeLimit(words, directory, 200));
  const kept = await submit(first, "kept");
  expect((await submit(first, "x".repeat(200_000))).body).toMatchObject({
    status: 500,
    detail: "the state file cannot be written: disk I/O error",
  });
  // What the file holds is still answered.
  const told = await first.call("GET", `/status/${String(kept.body["id"])}`);
  expect(told.body).toMatchObject({ status: "COMPLETED", output: { value: "kept" } });

  for (let at = 0; at < 40; at += 1) await submit(first, "y".repeat(20_000));
  first.running.kill("SIGTERM");
  const end = await first.running.exit;
  expect(end.exitCode).toBe(3);
  expect(end.errors).toMatch(
    /^warning: The state file .* cannot be written: disk I\/O error\. .*\n(?:warning: .*\n)*error: the state file .* could not be written: disk I\/O error\nhint: .*\n$/,
  );
  const second = await serve(directory);
  expect((await second.call("GET", `/status/${String(kept.body["id"])}`)).body).toEqual(told.body);
});

test("a file that another server uses is one clear message and exit code 3", async () => {
  const directory = temporaryDirectory();
  await serve(directory);
  const words = ["serve", "--state", join(directory, "state.db")];
  const end = await startCommand(words, directory).exit;
  expect(end).toMatchObject({ exitCode: 3, output: "" });
  expect(end.errors).toMatch(/^error: the state file .* is in use by another process\nhint: .*\n$/);
});
