import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startReceiver } from "../../test/rig.ts";
import { record } from "../../test/cli/record.ts";
import { startServe } from "../../test/cli/served.ts";
import type { ServedProcess } from "../../test/cli/served.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

/** Counts what the workers have reported: each event by job. */
interface Ledger {
  readonly url: string;
  readonly count: (id: string, event: "start" | "end") => number;
}

async function openLedger(): Promise<Ledger> {
  const receiver = await startReceiver((_attempt, response) => response.writeHead(200).end());
  onTestFinished(() => receiver.stop());
  return {
    url: receiver.url,
    count: (id, event) =>
      receiver.bodies
        .map((body) => record(body))
        .filter((entry) => entry["jobId"] === id && entry["event"] === event).length,
  };
}

/** The shortest ttl that the API accepts (docs/specification.md#policy). */
const ttlMsMin = 10_000;

async function statusOf({ call }: ServedProcess, id: string): Promise<unknown> {
  return (await call("GET", `/status/${id}`)).body["status"];
}

test("killed and started again, it processes what it owes and nothing that had ended", async () => {
  const directory = temporaryDirectory();
  const ledger = await openLedger();
  const words = ["--state", join(directory, "state.db"), "--workers", "1"];
  const start = async (): Promise<ServedProcess> => startServe(words, directory);
  const submit = async ({ call }: ServedProcess, ms: number, ttl = 3_600_000): Promise<string> => {
    const body = { input: { op: "sleep", ms, ledger: ledger.url }, policy: { ttl } };
    return String((await call("POST", "/run", body)).body["id"]);
  };

  const first = await start();
  const completed = await submit(first, 1);
  await expect.poll(() => statusOf(first, completed)).toBe("COMPLETED");
  const atWork = await submit(first, 11_000);
  await expect.poll(() => ledger.count(atWork, "start")).toBe(1);
  const purged = await submit(first, 1);
  await first.call("POST", "/purge-queue");
  const cancelled = await submit(first, 1);
  await first.call("POST", `/cancel/${cancelled}`);
  // It expires in the queue behind the job in progress, which the next server starts again.
  const expired = await submit(first, 1, ttlMsMin);
  const waiting = await submit(first, 1);
  first.running.kill("SIGKILL");
  await first.running.exit;
  expect(ledger.count(atWork, "end")).toBe(0);

  const second = await start();
  for (const id of [atWork, waiting]) {
    await expect.poll(() => statusOf(second, id)).toBe("COMPLETED");
  }
  const ends = [completed, atWork, waiting].map((id) => ledger.count(id, "end"));
  expect(ends).toEqual([1, 1, 1]);
  expect([completed, waiting].map((id) => ledger.count(id, "start"))).toEqual([1, 1]);
  expect(ledger.count(atWork, "start")).toBe(2);
  const never = [purged, cancelled, expired];
  expect(never.map((id) => ledger.count(id, "start"))).toEqual([0, 0, 0]);
});
