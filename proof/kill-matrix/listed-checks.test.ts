import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { checksToProve } from "./listed-checks.ts";
import { suiteChecks } from "./suite-checks.ts";

const page = `# Kill matrix

| fault | what is wrong | breaks | caught as | caught by | failed too |
| - | - | - | - | - | - |
| \`a/one\` | a \\| in its text | CANC-01 | CANC-01 | \`states/hundreds-complete\`, \`cancel/queued-job\` | |
| \`a/two\` | | CANC-01 | CANC-01 | \`cancel/queued-job\` | CANC-02 |
| \`a/three\` | | STAT-01 | STAT-01 | \`status/unknown-to-this-suite\` | |
| \`a/survivor\` | | STAT-01 | **survived** | | |

## Checks

| check | faults | among them |
| - | - | - |
| \`cancel/queued-job\` | 2 | \`a/one\`, \`a/two\` |
`;

describe("the checks that prove a page again", () => {
  test("are the smallest that caught each fault, and each check once", () => {
    expect(checksToProve(page)).toEqual(
      new Map([
        ["a/one", ["cancel/queued-job", "states/hundreds-complete"]],
        ["a/two", ["cancel/queued-job"]],
        ["a/three", ["status/unknown-to-this-suite"]],
      ]),
    );
  });

  test("are all of the committed page but those that observe, whose faults meet all checks", () => {
    const kept = readFileSync("docs/evidence/kill-matrix.md", "utf8");
    const chosen = new Set([...checksToProve(kept).values()].flat());
    const left = suiteChecks.filter(({ name }) => !chosen.has(name));
    expect(left).not.toEqual([]);
    // What stands here no fault of the page proves.
    const unproved = left.filter(({ observes }) => observes !== true).map(({ name }) => name);
    expect(unproved).toEqual([]);
  });
});
