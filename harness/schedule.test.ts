import { expect, onTestFinished, test } from "vitest";

import { capabilities } from "../openapi/capabilities.ts";
import type { ActingCheck, Check } from "./check.ts";
import { schedule } from "./schedule.ts";
import { Session } from "./session.ts";
import type { Target } from "./target.ts";

function checkOf(name: string, more: Partial<ActingCheck> = {}): Check {
  return { name, title: name, covers: ["HLTH-01"], run: async () => undefined, ...more };
}

const judging: Check = {
  name: "observes",
  title: "observes",
  covers: ["HLTH-01"],
  observe: () => undefined,
};

const shared = { baseUrl: "http://127.0.0.1:9", endpointId: "e", apiKey: "key-of-e", capabilities };

function sessionOf(target: Target): Session {
  const session = new Session(target, 1);
  onTestFinished(async () => session.close());
  return session;
}

function orderOf(checks: readonly Check[], session: Session): readonly string[] {
  const { acting, observing } = schedule(checks, session);
  return [...acting, ...observing].map(({ name }) => name);
}

test("on a virtual clock the largest payloads come first, after what waits for the target's own time", () => {
  const checks = [
    checkOf("small"),
    checkOf("of 2 MB", { megabytes: 2 }),
    judging,
    checkOf("of 21 MB", { megabytes: 21 }),
    checkOf("waits", { waitsForTarget: true }),
  ];
  const order = orderOf(
    checks,
    sessionOf({ ...shared, controlUrl: "http://127.0.0.1:9/__control" }),
  );
  expect(order).toEqual(["waits", "of 21 MB", "of 2 MB", "small", "observes"]);
});

test("on a real clock the longest comes first, and what stalls the workers last", () => {
  const checks = [
    checkOf("stalls", { stalls: true, realTimeMs: 9000 }),
    checkOf("short", { realTimeMs: 1 }),
    checkOf("long", { realTimeMs: 8000 }),
  ];
  expect(orderOf(checks, sessionOf(shared))).toEqual(["long", "short", "stalls"]);
});
