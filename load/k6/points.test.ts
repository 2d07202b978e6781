import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { metricLine as metric, pointLine as point } from "../../test/load/points-of-jobs.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { K6Points } from "./points.ts";
import { percentile, summaryOfPoints } from "../distributed/summary-of-points.ts";

const metrics = [
  metric("http_reqs", "counter", { phase: "a" }),
  metric("http_req_duration", "trend", { phase: "a" }),
  metric("http_req_failed", "rate"),
  metric("vus", "gauge"),
];

test("points of several processes are as those of one", async () => {
  const one = await pointsOf([1, 9, 2]);
  const two = await pointsOf([1, 9], [2]);

  const summary = summaryOfPoints(two.series);
  expect(summary).toEqual(summaryOfPoints(one.series));
  expect(summary.get("http_reqs")).toEqual({ count: 3 });
  expect(summary.get("http_reqs{phase:a}")).toEqual({ count: 2 });
  expect(summary.get("http_req_duration")).toMatchObject({ min: 1, med: 2, max: 9, avg: 4 });
  expect(summary.get("http_req_duration{phase:a}")).toMatchObject({ min: 1, max: 2 });
  expect(summary.get("http_req_failed")).toMatchObject({ value: 1 / 3, passes: 1, fails: 2 });
});

test("requests carry when they ended, their status and their tags", async () => {
  const { requests } = await pointsOf([8]);

  expect(requests).toMatchObject([{ durationMs: 8, status: 429, tags: { phase: "b" } }]);
  expect(requests[0]?.endedMs).toBeCloseTo(Date.parse("2026-01-01T00:00:00.008Z") + 0.25, 3);
});

test.each([
  { percent: 50, of: [1, 2, 3, 4], expected: 2.5 },
  { percent: 99, of: [10, 20], expected: 19.9 },
  { percent: 95, of: [7], expected: 7 },
  { percent: 100, of: [1, 5], expected: 5 },
  { percent: 90, of: [], expected: 0 },
])("the $percent th percentile of $of lies between its neighbours", ({ percent, of, expected }) => {
  expect(percentile(Float64Array.from(of), percent)).toBeCloseTo(expected, 9);
});

test("a file that is missing, cut off or something else is refused by its name", async () => {
  const folder = temporaryDirectory();
  const whole = gzipSync(metrics.join("\n").repeat(200));
  const files = {
    "cut.json.gz": whole.subarray(0, whole.length - 20),
    "empty.json.gz": gzipSync(""),
    "other.json.gz": gzipSync("[]\n"),
    "plain.json.gz": Buffer.from("{}"),
    "orphan.json.gz": gzipSync(point("http_reqs", 1)),
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);

  for (const name of [...Object.keys(files), "missing.json.gz"]) {
    const file = join(folder, name);
    await expect(new K6Points().add(file)).rejects.toThrow(file);
  }
});

/** A file for each list of durations; every odd one belongs to phase b and was refused. */
async function pointsOf(...files: readonly (readonly number[])[]): Promise<K6Points> {
  const folder = temporaryDirectory();
  const points = new K6Points();
  for (const [at, durations] of files.entries()) {
    const file = join(folder, `${at}.json.gz`);
    await writeFile(file, gzipSync([...metrics, ...durations.flatMap(requestLines)].join("\n")));
    await points.add(file);
  }
  return points;
}

function requestLines(durationMs: number): readonly string[] {
  const isRefused = durationMs > 2;
  const tags = { phase: isRefused ? "b" : "a", status: isRefused ? "429" : "200" };
  return [
    point("http_reqs", 1, tags),
    point("http_req_duration", durationMs, tags),
    point("http_req_failed", isRefused ? 1 : 0, tags),
    point("vus", 3),
  ];
}
