import { createServer } from "node:http";
import { describe, expect, onTestFinished, test } from "vitest";

import { rulesFor } from "../../client/request-rules.ts";
import { Pool } from "../../load/probe/pool.ts";
import { serialise } from "../../load/probe/request.ts";
import { running } from "../../test/running-server.ts";
import { runSchedule } from "./schedule.ts";

describe("runSchedule", () => {
  test("sends each request once, never before its time, and logs it", async () => {
    let count = 0;
    const server = createServer((_request, response) => {
      count += 1;
      response.statusCode = count > 3 ? 429 : 200;
      response.end();
    });
    const { baseUrl, stop } = await running(server);
    const rules = rulesFor({ baseUrl });
    const pool = new Pool(new URL(baseUrl), rules);
    onTestFinished(async () => {
      pool.close();
      await stop();
    });
    const request = serialise({ method: "GET", url: `${baseUrl}/a?b=c`, headers: {} }, rules);
    const times = [0, 10, 20, 30, 40];
    const { entries, error } = await runSchedule(
      pool,
      times.map((atMs) => ({ atMs, request })),
    );
    expect(count).toBe(5);
    expect(entries.map(({ intendedMs }) => intendedMs)).toEqual(times);
    expect(entries.filter(({ status }) => status === 429)).toHaveLength(2);
    for (const { intendedMs, sentMs, firstByteMs, answeredMs } of entries) {
      expect(sentMs).toBeGreaterThanOrEqual(intendedMs);
      expect(firstByteMs).toBeGreaterThanOrEqual(sentMs);
      expect(answeredMs).toBeGreaterThanOrEqual(firstByteMs ?? Infinity);
    }
    expect(error.maxMs).toBeGreaterThanOrEqual(error.p50Ms);
  });
});
