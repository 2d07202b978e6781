import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import { runK6 } from "./run.ts";
import type { K6Ending, K6Run } from "./run.ts";
import { countOf } from "./summary.ts";
import { realK6 } from "../../test/load/senders.ts";

const { k6, reason } = await realK6();

const getThrice = `
import http from "k6/http";
import { sleep } from "k6";
const { url }: { url: string } = JSON.parse(__ENV.QUEUEPROOF_SCENARIO ?? "{}");
export const options = {
  scenarios: { all: { executor: "shared-iterations", vus: 1, iterations: 3 } },
  thresholds: { http_reqs: ["count==3"] },
};
export default function (): void { http.get(url); }
`;

describe.skipIf(k6 === undefined)(`a run of the real k6${reason && ` (${reason})`}`, () => {
  test("counts what the server saw", async () => {
    const { url, requests } = await countingServer();

    const ending = await run(getThrice, { settings: { url } });

    expect(ending).toMatchObject({ exitCode: 0 });
    expect(ending.undecided).toBeUndefined();
    expect(counted(ending)).toBe(3);
    expect(requests).toHaveLength(3);
  });

  test("is whole where a threshold was crossed", async () => {
    const { url } = await countingServer();

    const ending = await run(getThrice.replace("count==3", "count==4"), { settings: { url } });

    expect(ending.exitCode).toBe(99);
    expect(ending.undecided).toBeUndefined();
    expect(counted(ending)).toBe(3);
  });

  test("decides nothing where every iteration throws, though k6 ends with 0", async () => {
    const ending = await run(`
      export const options = { iterations: 3 };
      export default function (): void { throw new Error("broken"); }
    `);

    expect(ending.exitCode).toBe(0);
    expect(ending.undecided).toBe("k6 counted 0 http_reqs, at least 1 were wanted");
  });

  test("decides nothing where the script cannot be loaded, and says why without the secret", async () => {
    const ending = await run(`import "./no-such-file-of-secret.js"; export default () => {};`, {
      redact: (text) => text.replaceAll("secret", "***"),
    });

    expect(ending.exitCode).toBe(107);
    expect(ending.undecided).toMatch(/could not be loaded[^]*no-such-file-of-\*\*\*/);
  });

  test("asks no build service for an extension", async () => {
    const ending = await run(`import "k6/x/not-there"; export default () => {};`);

    expect(ending.exitCode).toBe(107);
  });

  test("stops at its time limit", async () => {
    const ending = await run(`import { sleep } from "k6"; export default () => { sleep(600); };`, {
      timeLimitMs: 500,
    });

    expect(ending.undecided).toBe("k6 was stopped: it took more than 500 ms");
  });

  test("stops when it is told to", async () => {
    const ending = await run(`import { sleep } from "k6"; export default () => { sleep(600); };`, {
      signal: AbortSignal.timeout(300),
    });

    expect(ending.undecided).toBe("k6 was stopped: the run was interrupted");
  });

  test("tells a meter of each request while it runs, beside a file of points", async () => {
    const { url } = await countingServer();
    const statuses: number[] = [];
    const controller = new AbortController();
    const answered = (status: number): void => {
      statuses.push(status);
      if (statuses.length === 3) controller.abort("three were enough");
    };
    const slow = getThrice.replace("iterations: 3", "iterations: 300, maxDuration: '60s'");

    const ending = await run(slow.replace("http.get(url);", "http.get(url); sleep(0.5);"), {
      settings: { url },
      meter: { sent: () => undefined, answered, isThere: async () => Promise.resolve(true) },
      signal: controller.signal,
      pointsFile: join(await folder(), "points.json.gz"),
    });

    expect(ending.undecided).toBe("k6 was stopped: three were enough");
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses.length).toBeLessThan(30);
  });

  test("takes no option from the environment it is started in", async () => {
    const { url, requests } = await countingServer();

    await run(getThrice, {
      settings: { url },
      environment: { ...process.env, K6_ITERATIONS: "7", K6_VUS: "7" },
    });

    expect(requests).toHaveLength(3);
  });

  test("leaves k6's own report in the folder it is given", async () => {
    const { url } = await countingServer();
    const directory = join(await folder(), "report", "k6");
    const slow = getThrice.replace("http.get(url);", "http.get(url); sleep(1);");

    await run(slow, {
      settings: { url },
      dashboard: { directory, name: "thrice" },
    });

    expect(await readdir(directory)).toEqual(["thrice.html"]);
  });
});

test("a k6 that is not there decides nothing", async () => {
  const ending = await run(getThrice, { k6: { path: join(tmpdir(), "no-such-k6") } });

  expect(ending.undecided).toMatch(/did not run to its end[^]*ENOENT/);
});

async function run(script: string, options: Partial<K6Run> = {}): Promise<K6Ending> {
  const file = join(await folder(), "script.ts");
  await writeFile(file, script);
  const path = k6?.path ?? "";
  return runK6({
    k6: { path },
    rules: rulesFor({ baseUrl: "http://127.0.0.1:9" }),
    script: file,
    timeLimitMs: 20_000,
    environment: process.env,
    ...options,
  });
}

function counted({ summary }: K6Ending): number | undefined {
  return summary && countOf(summary, "http_reqs");
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "queueproof-k6-test-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

async function countingServer(): Promise<{
  readonly url: string;
  readonly requests: readonly IncomingMessage[];
}> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.end("{}");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/`, requests };
}
