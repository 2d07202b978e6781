import { describe, expect, test } from "vitest";
import { changed, specified } from "../../reference/behaviour.ts";
import { faultNamed } from "../faults/faults.ts";
import { variations } from "../variations/variations.ts";
import { failuresIn, judgedBy, recordedMix } from "./judged-mix.ts";
import type { RecordedExchange } from "../../traffic/recording/recorded-exchange.ts";
import {
  exchangeOf,
  KeyDigest,
  lineOf,
  withoutContent,
} from "../../traffic/recording/record-line.ts";

/** Bugs of a server, each with a requirement under which its traffic shows it. */
const shown = [
  ["health/retried-is-text", "HLTH-01"],
  ["health/failures-count-as-retries", "HLTH-04"],
  ["submit/input-may-be-an-array", "SUBM-02"],
  ["submit/runsync-needs-no-input", "SUBM-01"],
  ["submit/truncated-json-is-closed", "SUBM-03"],
  ["submit/webhook-may-be-any-text", "SUBM-06"],
  ["submit/first-two-jobs-share-an-id", "SUBM-05"],
  ["stream/elements-have-no-metrics", "STRM-01"],
  ["webhook/put", "HOOK-01"],
  ["webhook/body-without-output", "HOOK-02"],
  ["webhook/body-still-in-progress", "HOOK-08"],
  ["webhook/called-twice-at-once", "HOOK-03"],
  ["stream/last-chunk-is-lost", "STRM-02"],
  ["stream/newest-chunk-first", "STRM-02"],
  ["stream/chunks-come-twice", "STRM-02"],
  ["runsync/wait-is-a-little-too-short", "SYNC-03"],
  ["retry/refusal-is-a-success", "RETR-05"],
] as const;

/** Numbers from 0 up to 1, the same for the same seed. */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** A part of a recording: without some of its exchanges, and without its beginning or end. */
function cut(exchanges: readonly RecordedExchange[], seed: number): readonly RecordedExchange[] {
  const chance = chanceOf(seed);
  const share = chance();
  const from = Math.floor(chance() * exchanges.length * 0.5);
  const to = exchanges.length - Math.floor(chance() * exchanges.length * 0.3);
  return exchanges.slice(from, to).filter(() => chance() > share * 0.6);
}

/** As it is written to a file and read again. */
function recorded(
  exchanges: readonly RecordedExchange[],
  keepsBodies: boolean,
): readonly RecordedExchange[] {
  const digest = new KeyDigest();
  return exchanges.map((exchange) =>
    exchangeOf(lineOf(withoutContent(exchange, digest, keepsBodies))),
  );
}

describe.concurrent("a server judged by traffic alone", () => {
  test("raises nothing where it conforms, whole or recorded, cut or from two clients", async () => {
    const [one, other] = await Promise.all([recordedMix(specified), recordedMix(specified)]);
    expect(failuresIn(judgedBy(one))).toEqual([]);
    expect(failuresIn(judgedBy(recorded(one, false)))).toEqual([]);
    expect(failuresIn(judgedBy(recorded(one, true)))).toEqual([]);
    const both = [...one, ...other].toSorted((a, b) => a.arrivedMs - b.arrivedMs);
    for (let seed = 0; seed < 50; seed += 1) {
      expect(failuresIn(judgedBy(cut(one, seed), false)), `seed ${seed}`).toEqual([]);
      expect(failuresIn(judgedBy(cut(both, seed), false)), `seed ${seed}, two`).toEqual([]);
    }
    const passed = judgedBy(one).filter(({ verdict }) => verdict === "pass");
    expect(passed.length).toBeGreaterThanOrEqual(30);
  });

  test("raises nothing where it is busy, so that answers are late", async () => {
    const slow = changed(specified, { transport: { delayAfterMs: () => 150 } });
    expect(failuresIn(judgedBy(await recordedMix(slow)))).toEqual([]);
  });

  test.each(variations.map(({ name, change }) => ({ name, change })))(
    "raises nothing for the permitted $name",
    async ({ change }) => {
      const exchanges = await recordedMix(changed(specified, change(specified)));
      expect(failuresIn(judgedBy(exchanges))).toEqual([]);
    },
  );

  test.each(shown)("shows %s under %s", async (name, id) => {
    const fault = faultNamed(name);
    expect(fault).toBeDefined();
    const behaviour = changed(specified, fault?.change(specified) ?? {});
    const results = judgedBy(await recordedMix(behaviour));
    const failed = results.filter(({ verdict }) => verdict === "fail");
    expect(failed.flatMap(({ covers }) => covers)).toContain(id);
  });
});
