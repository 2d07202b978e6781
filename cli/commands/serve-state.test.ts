import { join } from "node:path";
import { expect, test } from "vitest";
import { startCommand } from "../testing/command.ts";
import type { RunningCommand } from "../testing/command.ts";
import { record, texts } from "../testing/record.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";

interface Served {
  readonly running: RunningCommand;
  readonly call: (method: string, path: string, body?: object) => Promise<Answer>;
}
interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function serve(directory: string): Promise<Served> {
  const words = ["serve", "--json", "--state", join(directory, "state.db")];
  const running = startCommand([...words, "--workers", "4", "--allowance", "100000"], directory);
  const [line] = await running.printed(/^.*\n/);
  const told = texts(line);
  const call: Served["call"] = async (method, path, body) => {
    const response = await fetch(`${told["baseUrl"]}/v2/${told["endpointId"]}${path}`, {
      method,
      headers: { authorization: told["apiKey"] ?? "", "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: record(await response.json()) };
  };
  return { running, call };
}

/** Submits without a pause until the server is gone, and keeps the id of every accepted job. */
async function submitUntilGone({ call }: Served, accepted: string[]): Promise<void> {
  const inputs = [
    { op: "echo", value: "done" },
    { op: "sleep", ms: 50, value: "done" },
    { op: "sleep", ms: 600_000 },
  ];
  for (let at = 0; ; at += 1) {
    try {
      const answer = await call("POST", "/run", { input: inputs[at % inputs.length] });
      if (answer.status === 200) accepted.push(String(answer.body["id"]));
    } catch {
      return;
    }
  }
}

test("killed under load, it comes back with every job it has accepted, and none twice", async () => {
  const directory = temporaryDirectory();
  const accepted: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const served = await serve(directory);
    const before = accepted.length;
    const clients = Array.from({ length: 8 }, () => submitUntilGone(served, accepted));
    await expect.poll(() => accepted.length - before, { timeout: 20_000 }).toBeGreaterThan(150);
    served.running.kill("SIGKILL");
    await Promise.all(clients);
    await served.running.exit;
  }

  const { call } = await serve(directory);
  const answers = await Promise.all(accepted.map((id) => call("GET", `/status/${id}`)));
  const wrong = answers.filter(({ status, body }) => status !== 200 || !isRight(body));
  expect(wrong).toEqual([]);
  expect(new Set(accepted).size).toBe(accepted.length);

  // Whoever was processed is again, or waits: 4 workers have 4 jobs, and no place is lost.
  const { body: health } = await call("GET", "/health");
  expect(health["workers"]).toEqual({ idle: 0, running: 4 });
  const { inQueue, inProgress, completed } = record(health["jobs"]);
  const answersOf = (state: string): number =>
    answers.filter(({ body }) => body["status"] === state).length;
  expect(answersOf("IN_PROGRESS")).toBeLessThanOrEqual(4);
  expect(Number(inQueue) + Number(inProgress) + Number(completed)).toBeGreaterThanOrEqual(
    accepted.length,
  );
}, 120_000);

function isRight({ status, output }: Answer["body"]): boolean {
  if (status === "COMPLETED") return JSON.stringify(output) === '{"value":"done"}';
  return status === "IN_QUEUE" || status === "IN_PROGRESS";
}

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

test("a file that another server uses is one clear message and exit code 3", async () => {
  const directory = temporaryDirectory();
  await serve(directory);
  const words = ["serve", "--state", join(directory, "state.db")];
  const end = await startCommand(words, directory).exit;
  expect(end).toMatchObject({ exitCode: 3, output: "" });
  expect(end.errors).toMatch(
    /^error: The state file .* is in use by another process\.\nhint: .*\n$/,
  );
});
