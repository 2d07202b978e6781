import { expect, test } from "vitest";
import { requirementIds } from "../../openapi/requirements.ts";
import { surface } from "../../reference/behaviour/surface.ts";
import { TrafficJudge } from "../judge-traffic.ts";

/** What a server shows that answers these bodies of run so, in this order. */
function shownBy(...answers: readonly (readonly [body: object, status: number])[]): string {
  const judge = new TrafficJudge({
    judged: ["server"],
    routes: surface.routes,
    only: new Set(requirementIds),
    isSoleClient: false,
    allowance: undefined,
  });
  for (const [index, [body, status]] of answers.entries()) {
    const answer = status === 200 ? { id: `j${index}`, status: "IN_QUEUE" } : { error: "no" };
    judge.observe({
      number: index + 1,
      connection: 1,
      method: "POST",
      origin: "http://127.0.0.1:1",
      target: "/v2/e/run",
      headers: { authorization: "a-key-of-a-test" },
      body: { bytes: Buffer.from(JSON.stringify(body)), kind: "whole" },
      arrivedMs: index * 10,
      answer: {
        status,
        headers: { "content-type": "application/json" },
        body: { bytes: Buffer.from(JSON.stringify(answer)), kind: "whole" },
        beganMs: index * 10 + 1,
        endedMs: index * 10 + 2,
      },
    });
  }
  const found = judge.end().find(({ covers }) => covers.includes("SUBM-06"));
  return found?.verdict ?? "unseen";
}

const good = { input: { prompt: "hi" } };

test("a refused webhook counts only where the same input was accepted without it", () => {
  expect(shownBy([good, 200], [{ ...good, webhook: 7 }, 400])).toBe("pass");
  expect(shownBy([good, 200], [{ input: { op: "echo" }, webhook: 7 }, 400])).toBe("unseen");
  expect(shownBy([good, 200], [{ input: {}, webhook: 7 }, 400])).toBe("unseen");
});

test("an accepted one is a breach, and a refusal of something else is nothing", () => {
  expect(shownBy([{ ...good, webhook: 7 }, 200])).toBe("fail");
  expect(shownBy([good, 200], [{ ...good, webhook: 7 }, 401])).toBe("unseen");
});
