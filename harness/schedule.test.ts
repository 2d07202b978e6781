import { expect, onTestFinished, test } from "vitest";

import { capabilities } from "../openapi/capabilities.ts";
import type { ActingCheck, Check } from "./check.ts";
import { partsAgain, schedule } from "./schedule.ts";
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

test("the second attempt runs those together that mostly wait, the third each alone, the shortest first", () => {
  const checks = [
    checkOf("waits"),
    checkOf("works for long", { realTimeMs: 30_000 }),
    checkOf("works", { realTimeMs: 10_000 }),
    checkOf("waits, too"),
    checkOf("excludes others"),
    checkOf("did not run"),
  ];
  const held = new Map([
    ["waits", { sharing: 50, alone: 0 }],
    ["works for long", { sharing: 30_000, alone: 0 }],
    ["works", { sharing: 10_000, alone: 0 }],
    ["waits, too", { sharing: 2900, alone: 0 }],
    ["excludes others", { sharing: 0, alone: 20 }],
  ]);
  const namesOf = (attempt: number): readonly string[] =>
    partsAgain(checks, attempt, ({ name }) => held.get(name)).map((part) =>
      part.map(({ name }) => name).join(" and "),
    );
  expect(namesOf(2)).toEqual([
    "waits and waits, too",
    "excludes others",
    "did not run",
    "works",
    "works for long",
  ]);
  expect(namesOf(3)).toEqual([
    "",
    "waits",
    "waits, too",
    "excludes others",
    "did not run",
    "works",
    "works for long",
  ]);
});
