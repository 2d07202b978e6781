import { expect, test } from "vitest";

import { verdictsOf } from "../../test/traffic/judged-recording.ts";

/** What a server shows that answers these bodies of run so, in this order. */
function shownBy(...answers: readonly (readonly [body: object, status: number])[]): string {
  const exchanges = answers.map(([sent, status], index) => ({
    atMs: index * 10,
    method: "POST" as const,
    target: "/v2/e/run",
    sent,
    status,
    got: status === 200 ? { id: `j${index}`, status: "IN_QUEUE" } : { error: "no" },
  }));
  return verdictsOf(exchanges, { isSoleClient: false })["SUBM-06"] ?? "unseen";
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
