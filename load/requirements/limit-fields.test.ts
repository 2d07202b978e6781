import { expect, test } from "vitest";

import { limitFields } from "./limit-fields.ts";
import type { LimitField } from "./limit-fields.ts";

type Headers = Readonly<Record<string, string>>;

interface Answered {
  readonly atMs: number;
  readonly status: 200 | 429;
  readonly headers?: Headers;
}

/** What a limiter of two requests said of itself, and what of it is wrong. */
function fieldsOf(...answers: readonly Answered[]): readonly LimitField[] {
  const exchanges = answers.map(({ atMs, status, headers = {} }) => ({
    sentMs: atMs,
    answeredMs: atMs,
    answer: { status, headers, body: "", keepsAlive: true },
  }));
  const requests = answers.map(({ atMs, status }) => ({
    sentMs: atMs,
    answeredMs: atMs,
    isAdmitted: status === 200,
  }));
  return limitFields({ trace: { exchanges, requests }, identification: { best: { limit: 2 } } });
}

function said(...answers: readonly Answered[]): Readonly<Record<string, string>> {
  return Object.fromEntries(fieldsOf(...answers).map(({ name, text }) => [name, text]));
}

const refusedWith = (headers: Headers): Answered => ({ atMs: 1_000, status: 429, headers });
const afterwards = (atMs: number, status: 200 | 429): Answered => ({ atMs, status });

test("says nothing where the answers say nothing", () => {
  expect(said(afterwards(0, 200), afterwards(1, 429))).toEqual({});
});

test("a wait in seconds after which a request is accepted was kept", () => {
  const kept = said(refusedWith({ "retry-after": "9" }), afterwards(10_200, 200));
  expect(kept).toEqual({ "Retry-After": "held, 1 times" });
});

test("a wait in seconds after which a request is still refused was not", () => {
  const broken = said(refusedWith({ "retry-after": "5" }), afterwards(6_200, 429));
  expect(broken["Retry-After"]).toBe('"5", but 5200 ms later a request was still refused');
});

test("a request that came too early says nothing of it", () => {
  const early = said(refusedWith({ "retry-after": "5" }), afterwards(5_900, 429));
  expect(early["Retry-After"]).toBe("held, 1 times");
});

test("one that others came before says nothing of it", () => {
  const others = [afterwards(6_150, 200), afterwards(6_200, 429)];
  const kept = said(refusedWith({ "retry-after": "5" }), ...others);
  expect(kept["Retry-After"]).toBe("held, 1 times");
});

const date = "Sat, 31 Jan 2026 12:00:00 GMT";

test.each([
  ["Sat, 31 Jan 2026 12:00:09 GMT", "held, 1 times"],
  [
    "Sat, 31 Jan 2026 12:00:05 GMT",
    '"Sat, 31 Jan 2026 12:00:05 GMT", but 7200 ms later a request was still refused',
  ],
])("a date counts from the date of the answer: %s", (until, expected) => {
  const found = said(refusedWith({ "retry-after": until, date }), afterwards(8_200, 429));
  expect(found["Retry-After"]).toBe(expected);
});

test.each([
  ["30", "longer than two windows"],
  ["1764390000", "a moment since the epoch"],
  ["1764390000123", "a moment since the epoch"],
  ["soon", "neither seconds nor a date"],
  ["-1", "neither seconds nor a date"],
])("a wait of %s is told", (wait, expected) => {
  const [field] = fieldsOf(refusedWith({ "retry-after": wait }));
  expect(field?.text).toContain(expected);
  expect(field?.isWrong).toBe(true);
});

test.each([
  ["x-ratelimit-limit", "2", '"2", as measured'],
  ["ratelimit-limit", "3", '"3", measured 2'],
  ["ratelimit-policy", '"burst";q=2;w=10', '""burst";q=2;w=10", as measured'],
  ["ratelimit-policy", '"burst";q=20;w=10', '""burst";q=20;w=10", measured 2'],
])("compares the limit that %s names: %s", (name, value, expected) => {
  const found = said({ atMs: 0, status: 200, headers: { [name]: value } });
  expect(found).toEqual({ [name]: expected });
});

test.each([
  ["x-ratelimit-remaining", "0", '"0" when refused'],
  ["ratelimit", '"burst";r=0;t=5', '""burst";r=0;t=5" when refused'],
  ["ratelimit-remaining", "1", '"1" when refused, not 0'],
])("expects nothing left when it refuses: %s: %s", (name, value, expected) => {
  expect(said(refusedWith({ [name]: value }))).toEqual({ [name]: expected });
});
