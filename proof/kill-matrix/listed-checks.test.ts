import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { checksToProve } from "./listed-checks.ts";
import { suiteChecks } from "./suite-job.ts";

const kept = JSON.stringify({
  "a/one": ["states/hundreds-complete", "cancel/queued-job"],
  "a/two": ["cancel/queued-job"],
  "a/three": ["status/unknown-to-this-suite"],
  "a/survivor": [],
});

describe("the checks that prove the evidence again", () => {
  test("are the smallest that caught each fault, and each check once", () => {
    expect(checksToProve(kept)).toEqual(
      new Map([
        ["a/one", ["cancel/queued-job", "states/hundreds-complete"]],
        ["a/two", ["cancel/queued-job"]],
        ["a/three", ["status/unknown-to-this-suite"]],
      ]),
    );
  });

  test("are all of the committed evidence but those that observe, whose faults meet all checks", () => {
    const committed = readFileSync("docs/evidence/kill-matrix.json", "utf8");
    const chosen = new Set([...checksToProve(committed).values()].flat());
    const left = suiteChecks.filter(({ name }) => !chosen.has(name));
    expect(left).not.toEqual([]);
    // What stands here no fault of it proves.
    const unproved = left.filter(({ observe }) => observe === undefined).map(({ name }) => name);
    expect(unproved).toEqual([]);
  });
});
