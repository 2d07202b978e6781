import { expect, onTestFinished, test } from "vitest";

import { startReference } from "../reference/start-reference.ts";
import {
  closesAfter,
  codes,
  dropsAfter,
  dropsIdle,
  extendsChunks,
  informs,
  limitsTo,
  plain,
  speaksHttp10,
} from "../test/fronts/moods.ts";
import type { Mood } from "../test/fronts/moods.ts";
import { startFront } from "../test/fronts/start-front.ts";
import { runContract } from "./run-contract.ts";

test.each<[string, Mood]>([
  ["does nothing", plain],
  ["compresses by gzip", codes("gzip")],
  ["compresses by brotli", codes("br")],
  ["compresses by deflate", codes("deflate")],
  ["sends 102 and 103 before each answer", informs],
  ["closes a connection after 20 requests and says so", closesAfter(20)],
  ["closes a connection after 20 requests without a word", dropsAfter(20)],
  ["closes an idle connection without a word", dropsIdle(100)],
  ["speaks HTTP/1.0", speaksHttp10],
  ["sends chunks with extensions and a trailer", extendsChunks],
])("a conforming server passes through a front that %s", async (_what, mood) => {
  const reference = await startReference();
  onTestFinished(() => reference.stop());
  const front = await startFront(reference.baseUrl, mood);
  onTestFinished(() => front.stop());

  const { results } = await runContract({
    baseUrl: front.baseUrl,
    controlUrl: reference.controlUrl ?? "",
    capabilities: [],
    seed: 1,
    timeBudgetMs: 0,
    only: [],
  });

  expect(results.length).toBeGreaterThan(500);
  const unexpected = results.filter(({ verdict }) => !["pass", "not-run"].includes(verdict));
  expect(unexpected.map(({ name, reason }) => `${name}: ${String(reason)}`)).toEqual([]);
});

test.each([429, 503] as const)(
  "a front that takes 150 requests a second and answers %d to more slows the run down, and fails nothing",
  async (status) => {
    const reference = await startReference();
    onTestFinished(() => reference.stop());
    const front = await startFront(reference.baseUrl, limitsTo(150, status));
    onTestFinished(() => front.stop());

    const { results, facts = [] } = await runContract({
      baseUrl: front.baseUrl,
      ...(reference.controlUrl !== undefined && { controlUrl: reference.controlUrl }),
      capabilities: [],
      seed: 1,
      timeBudgetMs: 0,
      only: ["SYNC-*", "HLTH-*"],
    });

    const unexpected = results.filter(
      ({ verdict, cause }) =>
        verdict === "fail" || (verdict === "inconclusive" && cause !== "pace"),
    );
    expect(unexpected.map(({ name, reason }) => `${name}: ${String(reason)}`)).toEqual([]);
    expect(facts.find(({ id }) => id === "pace")?.text).toMatch(
      /takes about \d+ requests a second/,
    );
  },
);
