import { describe, expect, test } from "vitest";

import { resultsOf } from "../../test/traffic/judged-recording.ts";
import type { WrittenExchange } from "../../test/traffic/judged-recording.ts";

const path = "/v2/e";
const sent = { input: { a: 1 } };

/** What failed, by its cause, or by its name where no cause was learned. */
function failuresIn(exchanges: readonly WrittenExchange[]): Readonly<Record<string, string[]>> {
  const failed: Record<string, string[]> = {};
  for (const { covers, verdict, cause, name } of resultsOf(exchanges)) {
    if (verdict !== "fail") continue;
    const told = (failed[cause ?? name] ??= []);
    told.push(...covers.filter((id) => !told.includes(id)));
  }
  for (const ids of Object.values(failed)) ids.sort();
  return failed;
}

describe("a server whose answers have another form", () => {
  const times = { delayTime: 5, executionTime: 20 };

  test("is one cause where its states have other names, and what follows is judged in their meaning", () => {
    const failed = failuresIn([
      { atMs: 0, method: "POST", target: `${path}/run`, sent, got: { id: "a", status: "queued" } },
      { atMs: 100, target: `${path}/status/a`, got: { id: "a", status: "processing" } },
      {
        atMs: 200,
        target: `${path}/status/a`,
        got: { id: "a", status: "done", output: { v: 1 }, ...times },
      },
      { atMs: 300, target: `${path}/status/a`, got: { id: "a", status: "processing" } },
    ]);
    expect(failed["states-otherwise"]).toEqual(["ENDP-05", "RUNA-01", "STAT-01"]);
    expect(Object.keys(failed).toSorted()).toEqual(["states-otherwise", "traffic/LIFE-02"]);
  });

  test("is one cause where its records stand in an envelope", () => {
    const failed = failuresIn([
      {
        atMs: 0,
        method: "POST",
        target: `${path}/run`,
        sent,
        got: { data: { id: "a", status: "IN_QUEUE" } },
      },
      {
        atMs: 200,
        target: `${path}/status/a`,
        got: { data: { id: "a", status: "COMPLETED", output: { v: 1 }, ...times } },
      },
    ]);
    expect(Object.keys(failed)).toEqual(["envelope"]);
  });

  test("is none of a server that answers as specified, where a state is misspelt once", () => {
    const failed = failuresIn([
      {
        atMs: 0,
        method: "POST",
        target: `${path}/run`,
        sent,
        got: { id: "a", status: "IN_QUEUE" },
      },
      { atMs: 100, target: `${path}/status/a`, got: { id: "a", status: "processing" } },
    ]);
    expect(Object.keys(failed)).not.toContain("states-otherwise");
    expect(failed["traffic/ENDP-05"]).toEqual(["ENDP-05"]);
  });
});
