import { expect, test } from "vitest";

import type { ProbeExchange } from "../probe/connection.ts";
import { OperationUsage } from "./operation-usage.ts";

const accepted: ProbeExchange = {
  sentMs: 0,
  answeredMs: 1,
  answer: { status: 200, headers: {}, body: "", keepsAlive: true },
};
const refused: ProbeExchange = {
  sentMs: 0,
  answeredMs: 1,
  answer: { status: 429, headers: {}, body: "", keepsAlive: true },
};

test("an operation rests for two windows after its last request, for one where its limiter forgets", () => {
  let nowMs = 0;
  const usage = new OperationUsage(false, () => nowMs);
  expect(usage.restedAtMs("run")).toBe(20_000);
  nowMs = 5_000;
  usage.note("run", [accepted]);
  expect(usage.restedAtMs("run")).toBe(25_000);
  usage.forgets("run");
  expect(usage.restedAtMs("run")).toBe(15_000);
  expect(usage.restedAtMs("status")).toBe(20_000);
});

test("an endpoint that is new has rested", () => {
  expect(new OperationUsage(true, () => 0).restedAtMs("run")).toBe(Number.NEGATIVE_INFINITY);
});

test("requests of two windows are known, by operation", () => {
  let nowMs = 0;
  const usage = new OperationUsage(false, () => nowMs);
  usage.note("run", [accepted, refused]);
  nowMs = 15_000;
  usage.note("run", [accepted]);
  expect([usage.recent("run"), usage.recent("cancel")]).toEqual([3, 0]);
  nowMs = 20_001;
  expect(usage.recent("run")).toBe(1);
});

test("who follows an operation hears of its requests alone, and accepted submissions are jobs", () => {
  const usage = new OperationUsage(false, () => 0);
  const heard: ProbeExchange[] = [];
  usage.follow("run", (exchanges) => heard.push(...exchanges));
  usage.note("run", [accepted, refused]);
  usage.note("runsync", [accepted]);
  usage.note("status", [accepted]);
  usage.follow("run");
  usage.note("run", [accepted]);
  expect(heard).toEqual([accepted, refused]);
  expect(usage.acceptedJobs).toBe(3);
});

test("submissions are under way until they are noted", () => {
  const usage = new OperationUsage(false, () => 0);
  usage.sending("run", 2);
  usage.sending("status", 5);
  expect(usage.submissionsUnderWay).toBe(2);
  usage.note("run", [accepted, refused]);
  expect([usage.submissionsUnderWay, usage.acceptedJobs]).toEqual([0, 1]);
});
