import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { RequirementResult } from "../judge.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { evidenceOf } from "../evidence/evidence.ts";
import { learnDiscredited } from "./discredited.ts";
import { Discovery } from "./discovery.ts";
import { resultsUnderCauses } from "./results.ts";

/** A failure that its last exchange shows. */
function failure(
  name: string,
  requirement: RequirementId,
  operations: readonly OperationName[],
): RequirementResult {
  const evidence = operations.map((operation) =>
    evidenceOf(exchangeOf({}, { operation }), new Redactor(), { startedAtMs: 0 }),
  );
  const difference = { requirement, at: "inQueue", expected: "0", got: "1" };
  return {
    name,
    title: name,
    covers: [requirement],
    verdict: "fail",
    durationMs: 0,
    readings: [],
    deviations: [],
    mismatches: [{ ...difference, exchange: operations.length - 1 }],
    evidence,
  };
}

const wrong = failure("health/jobs", "HLTH-02", ["run", "health"]);
const byCancel = failure("health/jobs", "HLTH-02", ["run", "cancel", "health"]);
const other = failure("cancel/queued", "CANC-01", ["run", "cancel", "health"]);
const byStatus = failure("cancel/queued", "CANC-01", ["run", "cancel", "status"]);

test.each([
  { what: "health counts plain jobs wrongly", own: wrong, judged: other, verdict: "not-run" },
  { what: "it does so after a cancel", own: byCancel, judged: other, verdict: "fail" },
  { what: "it counts them rightly", own: undefined, judged: other, verdict: "fail" },
  { what: "status shows the fault", own: wrong, judged: byStatus, verdict: "fail" },
])("where $what, what fails by it is $verdict", ({ own, judged, verdict }) => {
  const discovery = new Discovery();
  const results = own === undefined ? [judged] : [own, judged];
  learnDiscredited(discovery, results);
  const told = resultsUnderCauses(results, discovery, { needs: [], isLast: true });
  expect(told.map((each) => each.verdict)).toEqual(
    own === undefined ? [verdict] : ["fail", verdict],
  );
});

test("it is told only where something depends on it", () => {
  const discovery = new Discovery();
  learnDiscredited(discovery, [wrong]);
  expect(discovery.learned).toEqual([]);
});
