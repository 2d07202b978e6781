import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test, vi } from "vitest";

import { record } from "../cli/record.ts";
import { startServe, type ServedAnswer, type ServedProcess } from "../cli/served.ts";
import { temporaryDirectory } from "../cli/temporary-directory.ts";
import { startReceiver, type RigReceiver } from "../rig.ts";
import { freePort } from "../../load/free-port.ts";
import { pythonWithRunpod } from "./python.ts";
import { startWorker } from "./worker.ts";
import { waitLimits } from "../wait-limits.ts";

const { missing } = pythonWithRunpod();

/** A server with real workers that can be killed and started again with the same address and state file. */
interface Site {
  readonly start: () => Promise<ServedProcess>;
}

async function site(): Promise<Site> {
  const directory = temporaryDirectory();
  const port = String(await freePort());
  const words = ["--port", port, "--state", join(directory, "state.db")];
  return {
    start: async () =>
      startServe(
        [...words, "--dialect", "runpod", "--worker", "external", "--worker-silence", "4s"],
        directory,
      ),
  };
}

async function kill({ running }: ServedProcess): Promise<void> {
  running.kill("SIGKILL");
  await running.exit;
}

async function receiver(): Promise<RigReceiver> {
  const started = await startReceiver((_attempt, response) => response.writeHead(200).end());
  onTestFinished(() => started.stop());
  return started;
}

function begunFile(): { readonly BEGUN_FILE: string } {
  return { BEGUN_FILE: join(temporaryDirectory(), "begun") };
}

function linesOf({ BEGUN_FILE }: { readonly BEGUN_FILE: string }): readonly string[] {
  return readFileSync(BEGUN_FILE, "utf8").trim().split("\n");
}

async function submit({ call }: ServedProcess, input: object, webhook: string): Promise<string> {
  return String((await call("POST", "/run", { input, webhook })).body["id"]);
}

async function ended({ call }: ServedProcess, id: string): Promise<ServedAnswer["body"]> {
  return (await call("GET", `/status-sync/${id}?wait=60000`)).body;
}

async function completedCount({ call }: ServedProcess): Promise<unknown> {
  return record((await call("GET", "/health")).body["jobs"])["completed"];
}

describe.skipIf(missing !== "")(`a server killed beside real workers ${missing}`, () => {
  test("gives the jobs its worker had to that worker again, and each ends once", async () => {
    const { start } = await site();
    const hook = await receiver();
    const begun = begunFile();
    const first = await start();
    startWorker(first, { words: ["batch"], environment: begun });
    const seconds = Array.from({ length: 8 }, (_, at) => 1 + at / 1_000);
    const ids: string[] = [];
    for (const each of seconds)
      ids.push(await submit(first, { do: "sleep", seconds: each }, hook.url));
    // Some have ended, others are at work, and the rest waits.
    await vi.waitFor(
      async () => expect(await completedCount(first)).toBeGreaterThan(0),
      waitLimits,
    );
    await vi.waitFor(() => expect(linesOf(begun).length).toBeGreaterThan(4), waitLimits);
    await kill(first);

    const second = await start();
    const records = await Promise.all(ids.map(async (id) => ended(second, id)));
    expect(records).toMatchObject(
      seconds.map((slept) => ({ status: "COMPLETED", output: { slept }, workerId: "worker-1" })),
    );
    expect(await completedCount(second)).toBe(ids.length);
    await vi.waitFor(() => expect(hook.bodies.length).toBe(ids.length), waitLimits);
    expect(hook.bodies.map((body) => String(record(body)["id"])).toSorted()).toEqual(
      ids.toSorted(),
    );
  });

  test("stops the work a worker still has of a job, before it has it again", async () => {
    const { start } = await site();
    const hook = await receiver();
    const begun = begunFile();
    const first = await start();
    const worker = startWorker(first, { words: ["batch"], environment: begun });
    const id = await submit(first, { do: "sleep", seconds: 10 }, hook.url);
    await vi.waitFor(() => expect(linesOf(begun)).toHaveLength(1), waitLimits);
    await kill(first);

    const second = await start();
    expect(await ended(second, id)).toMatchObject({ status: "COMPLETED", output: { slept: 10 } });
    expect(worker.log()).toContain("Job stopped.");
    expect(linesOf(begun)).toEqual([`${id} worker-1`, `${id} worker-1`]);
    expect(await completedCount(second)).toBe(1);
    await vi.waitFor(() => expect(hook.bodies).toHaveLength(1), waitLimits);
  });

  test("gives the job of a worker that has gone to another one", async () => {
    const { start } = await site();
    const hook = await receiver();
    const begun = begunFile();
    const first = await start();
    const gone = startWorker(first, { podId: "a", words: ["coroutine"], environment: begun });
    const id = await submit(first, { do: "sleep", seconds: 2 }, hook.url);
    await vi.waitFor(() => expect(linesOf(begun)).toEqual([`${id} a`]), waitLimits);
    await kill(first);
    gone.stop();
    await gone.ended;

    const second = await start();
    expect((await second.call("GET", `/status/${id}`)).body["status"]).toBe("IN_QUEUE");
    startWorker(second, { podId: "b", words: ["coroutine"], environment: begun });
    expect(await ended(second, id)).toMatchObject({ status: "COMPLETED", workerId: "b" });
    expect(linesOf(begun)).toEqual([`${id} a`, `${id} b`]);
    expect(await completedCount(second)).toBe(1);
    await vi.waitFor(() => expect(hook.bodies).toHaveLength(1), waitLimits);
  });

  test("has a job done again whose result came while nobody was there", async () => {
    const { start } = await site();
    const hook = await receiver();
    const begun = begunFile();
    const first = await start();
    const worker = startWorker(first, { words: ["coroutine"], environment: begun });
    const id = await submit(first, { do: "sleep", seconds: 1 }, hook.url);
    await vi.waitFor(() => expect(linesOf(begun)).toHaveLength(1), waitLimits);
    await kill(first);
    await vi.waitFor(() => expect(worker.log()).toMatch(/Finished\./), waitLimits);

    const second = await start();
    expect(await ended(second, id)).toMatchObject({ status: "COMPLETED", output: { slept: 1 } });
    expect(linesOf(begun)).toHaveLength(2);
    expect(await completedCount(second)).toBe(1);
    await vi.waitFor(() => expect(hook.bodies).toHaveLength(1), waitLimits);
  });
});
