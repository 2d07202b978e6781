import { expect, test } from "vitest";

import { Redactor } from "../../client/redactor.ts";
import { exchangeOf } from "../../test/harness/exchange.ts";
import { Discovery } from "./discovery.ts";
import { learnRetriedElsewhere } from "./retried-elsewhere.ts";

test.each([
  { operation: "retry", id: "b", isSo: true },
  { operation: "retry", id: "a", isSo: false },
  { operation: "run", id: "b", isSo: false },
] as const)(
  "$operation of a that answers $id makes another job: $isSo",
  ({ operation, id, isSo }) => {
    const discovery = new Discovery(new Redactor());
    const exchange = exchangeOf({ id, status: "IN_QUEUE" }, { operation, jobId: "a" });
    expect(learnRetriedElsewhere(discovery, exchange) !== undefined).toBe(isSo);
    expect(discovery.knows("retry-makes-another-job")).toBe(isSo);
  },
);
