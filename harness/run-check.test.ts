import { describe, expect, onTestFinished, test } from "vitest";

import { scriptedServer } from "../test/harness/scripted-server.ts";
import { virtualSession } from "../test/harness/virtual-session.ts";
import type { Script } from "../test/harness/scripted-server.ts";
import { startReference } from "../reference/start-reference.ts";
import type { ActingCheck, Check } from "./check.ts";
import type { RequirementResult } from "./judge.ts";
import { Inconclusive } from "./outcome.ts";
import { readRecord } from "./record.ts";
import { runCheck } from "./run-check.ts";
import { Session } from "./session.ts";
import { createDeferred } from "./deferred.ts";
import type { Target } from "./target.ts";
import { standStillFor } from "../test/stand-still.ts";

const key = "the-key-of-this-test";
const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };
const health = { jobs: counts, workers: { idle: 1, running: 0 } };

const sound: Script = (request) => {
  if (request.endsWith("/health")) return [200, health];
  if (request.endsWith("/run")) return [200, { id: "a", status: "IN_QUEUE" }];
  if (request.includes("/status/busy")) return [429, {}];
  if (request.includes("/status/leak")) return [200, { id: "leak", status: key }];
  return [404, { detail: "not found" }];
};

const silentRun: Script = (request) => (request.endsWith("/run") ? "silence" : sound(request));

/** A check of one or two requirements that needs nothing, whatever they need. */
function checkOf(run: ActingCheck["run"], covers: Check["covers"] = ["STAT-01"]): Check {
  return { name: "kit/a-check", title: "a check", covers, needs: [], realTimeMs: 0, run };
}

async function undecided(): Promise<void> {
  await Promise.reject(new Inconclusive("too busy to tell"));
}

async function resultsOf(check: Check, given: Partial<Target> = {}, script = sound) {
  const baseUrl = await scriptedServer(script);
  const rest = { endpointId: "e", apiKey: key, capabilities: ["handler"] } as const;
  const session = new Session({ baseUrl, ...rest, ...given }, 1);
  onTestFinished(async () => session.close());
  return (await runCheck(check, session, { timeBudgetMs: 1000 })).results;
}

async function resultOf(
  run: ActingCheck["run"],
  script = sound,
): Promise<RequirementResult | undefined> {
  return (await resultsOf(checkOf(run), {}, script))[0];
}

describe("a check that is run", () => {
  test("passes when everything compared is as expected", async () => {
    const result = await resultOf(async ({ api, expect: demand }) => {
      demand.accepted(await api.health());
      demand.refused(await api.status("unknown"));
      demand.status(await api.status("unknown"), [400, 404]);
      demand.equal({ a: [1] }, { a: [1] }, "a value");
    });

    expect(result).toMatchObject({ verdict: "pass", evidence: [], mismatches: [] });
    expect(result).not.toHaveProperty("script");
  });

  test("does not blame the target for what follows a request without an answer", async () => {
    const result = await resultOf(async ({ api, expect: demand }) => {
      await api.health();
      const { answer } = await api.with({ timeoutMs: 20 }).run({ input: {} });
      demand.equal(answer?.status, 200, "a status that nobody sent");
    }, silentRun);

    expect(result?.verdict).toBe("inconclusive");
    expect(result?.reason).toMatch(/^run got no answer \(.*proves nothing/);
  });

  test.each([
    { does: "a submission whose first answer was lost", method: "POST", verdict: "inconclusive" },
    { does: "a read whose first answer was lost", method: "GET", verdict: "fail" },
  ] as const)("a difference after $does is $verdict", async ({ method, verdict }) => {
    const result = await resultOf(async ({ api, expect: demand, recorder }) => {
      const exchange = await api.health();
      const unanswered = [{ kind: "connection", message: "the connection was closed" }] as const;
      const request = { ...exchange.request, method };
      recorder.record({ kind: "exchange", exchange: { ...exchange, request, unanswered } });
      demand.equal(1, 2, "a number");
    });

    expect(result?.verdict).toBe(verdict);
    expect(result?.dropped).toMatchObject([{ error: "the connection was closed", times: 1 }]);
  });

  test("does not blame the target for what the harness was late to see", async () => {
    const result = await resultOf(async ({ time, expect: demand }) => {
      const waited = time.pass(1);
      standStillFor(600);
      await waited;
      demand.equal("COMPLETED", "IN_PROGRESS", "status");
    });

    expect(result?.verdict).toBe("inconclusive");
    expect(result?.reason).toMatch(/^the harness itself was \d+ ms late, .*got COMPLETED/);
  });

  test("is told the same by a virtual clock, however late the harness is", async () => {
    const session = await virtualSession();
    const late = checkOf(async ({ api, expect: demand }) => {
      const sent = api.run({ input: { op: "echo", value: 1 } });
      standStillFor(600);
      await sent;
      demand.equal("COMPLETED", "IN_PROGRESS", "status");
    });

    const { results } = await runCheck(late, session, { timeBudgetMs: 1000 });
    expect(results).toMatchObject([{ verdict: "fail" }]);
  });

  const lateAnswer = /^run was answered after \d+ ms, so what came after it proves nothing$/;
  const difference = /^status: expected IN_PROGRESS, got COMPLETED$/;
  test.each([
    { that: "takes time", header: { realTimeMs: 500 }, reason: lateAnswer },
    { that: "takes none", header: {}, reason: difference },
    { that: "asks how late", header: { realTimeMs: 500, insists: true }, reason: difference },
  ])("judges what came after a late answer as a check that $that", async ({ header, reason }) => {
    const check = checkOf(async ({ api, expect: demand }) => {
      const begun = createDeferred();
      const late = api.run({ input: {} }, { onSend: begun.resolve });
      await begun.promise;
      standStillFor(1100);
      await late;
      demand.equal("COMPLETED", "IN_PROGRESS", "status");
    });
    const [result] = await resultsOf({ ...check, ...header });

    expect(result?.verdict).toBe(reason === lateAnswer ? "inconclusive" : "fail");
    expect(result?.reason).toMatch(reason);
  });

  test("fails with every difference, its exchanges and a script", async () => {
    const result = await resultOf(async ({ api, expect: demand }) => {
      demand.status(await api.status("unknown"), 200, "the status");
      demand.equal(1, 2, "a number");
    });

    expect(result).toMatchObject({ verdict: "fail" });
    expect(result?.mismatches.map(({ at }) => at)).toEqual(["the status", "a number"]);
    expect(result?.reason).toBe(
      'the status: expected status 200, got status 404, {"detail":"not found"}; a number: expected 2, got 1',
    );
    expect(result?.evidence[0]?.response?.status).toBe(404);
    expect(result?.script).toContain("/status/unknown");
  });

  test("is inconclusive when it cannot know, unless a difference was seen before", async () => {
    const first = await resultOf(undecided);
    const second = await resultOf(async ({ expect: demand }) => {
      demand.equal(1, 2, "a number");
      await undecided();
    });

    expect(first).toMatchObject({ verdict: "inconclusive", reason: "too busy to tell" });
    expect(second).toMatchObject({ verdict: "fail", reason: "a number: expected 2, got 1" });
  });

  test.each([{ of: "accepted" as const }, { of: "refused" as const }, { of: "record" as const }])(
    "is inconclusive when $of meets a 429",
    async ({ of }) => {
      const result = await resultOf(async ({ api, expect: demand }) => {
        demand[of](await api.status("busy"));
      });

      expect(result).toMatchObject({ verdict: "inconclusive", reason: "status answered 429" });
    },
  );

  test.each([
    { insists: false, last: /^run gave no answer \d times in a row$/ },
    { insists: true, last: /^no whole answer within 20 ms, 1 of 1 times$/ },
  ])("asks a silent operation again only where it insists: $insists", async ({ insists, last }) => {
    const messages: string[] = [];
    const check = checkOf(async ({ api, expect: demand }) => {
      const impatient = api.with({ timeoutMs: 20 });
      for (let count = 0; count < 8; count += 1) {
        // The answered request in between shows that the target is there.
        await api.health();
        messages.push((await impatient.run({ input: {} })).failure?.message ?? "");
      }
      demand.equal(messages.length, 8, "requests");
    });
    await resultsOf({ ...check, insists }, {}, silentRun);
    expect(messages.at(-1)).toMatch(last);
  });

  test("stops at a body that cannot be read", async () => {
    const result = await resultOf(async ({ api, expect: demand }) => {
      demand.record(await api.health());
      demand.equal(1, 2, "never reached");
    });

    expect(result?.mismatches).toHaveLength(1);
    expect(result?.reason).toMatch(/^health: expected 2xx with a record of id and status, got /);
  });

  test("is a harness error when it compared nothing, and when it throws", async () => {
    const idle = await resultOf(async ({ api }) => void (await api.health()));
    const broken = await resultOf(async () => Promise.reject(new TypeError("oops")));

    expect(idle).toMatchObject({
      verdict: "inconclusive",
      harnessError: "the check compared nothing of STAT-01",
    });
    expect(broken?.verdict).toBe("inconclusive");
    expect(broken?.harnessError).toMatch(/^TypeError: oops/);
  });

  test("speaks of each requirement by itself", async () => {
    const check = checkOf(
      async ({ expect: demand }) => {
        await Promise.resolve();
        demand.equal(1, 1, "the first");
        demand.of("STAT-02").equal(1, 2, "the second");
      },
      ["STAT-01", "STAT-02"],
    );

    const results = await resultsOf(check);
    expect(results.map(({ covers, verdict }) => [covers[0], verdict])).toEqual([
      ["STAT-01", "pass"],
      ["STAT-02", "fail"],
    ]);
  });

  test.each([
    ["were set to 0", leavesThemStalled, ["handler", "workers"], "inconclusive"],
    ["were stalled by setting them to 0", throwsWhileStalled, ["handler", "workers"], "pass"],
    ["were stalled by sleep jobs", throwsWhileStalled, ["handler"], "pass"],
  ] as const)(
    "gives back workers that %s, also where it throws",
    async (_, run, offered, verdict) => {
      const reference = await startReference();
      onTestFinished(async () => reference.stop());
      const { baseUrl, controlUrl = "", endpointId, apiKey } = reference;
      const target = { baseUrl, controlUrl, endpointId, apiKey, capabilities: offered };
      const session = new Session(target, 1);
      onTestFinished(async () => session.close());
      const stalling = { ...checkOf(run), exclusive: true };
      const { results: first } = await runCheck(stalling, session, { timeBudgetMs: 1000 });
      expect(first).toMatchObject([{ verdict }]);

      const healthAfter = checkOf(async ({ api, expect: demand }) => {
        const { workers } = demand.body(await api.health(), "HealthAnswer");
        demand.equal(workers, { idle: 1, running: 0 }, "workers");
      });
      const { results } = await runCheck(healthAfter, session, { timeBudgetMs: 1000 });
      expect(results).toMatchObject([{ verdict: "pass" }]);
    },
  );

  test("shows no key, wherever the target puts it", async () => {
    const result = await resultOf(async ({ api, expect: demand }) => {
      const exchange = await api.status("leak");
      const read = readRecord(exchange);
      demand.equal(read.ok ? read.body.status : "", "COMPLETED", `status ${key}`);
    });

    expect(JSON.stringify(result)).not.toContain(key);
    expect(result?.reason).toBe("status ***: expected COMPLETED, got ***");
  });

  test("does not pass by refusals of a target that accepts nothing", async () => {
    const result = await resultOf(
      async ({ api, expect: demand }) => void demand.refused(await api.status("unknown")),
      () => [404, {}],
    );

    expect(result?.verdict).toBe("inconclusive");
    expect(result?.reason).toMatch(/accepted no request yet/);
  });
});

describe("a check that is not run", () => {
  test("names what the target does not offer", async () => {
    const check = { ...checkOf(async () => Promise.resolve()), needs: ["clock", "hold"] as const };
    const [result] = await resultsOf(check);

    expect(result).toMatchObject({
      verdict: "not-run",
      reason: "the target does not offer clock, hold",
    });
  });

  test("names its time and the budget", async () => {
    const check = { ...checkOf(async () => Promise.resolve()), realTimeMs: 60_000 };
    const [result] = await resultsOf(check);

    expect(result).toMatchObject({
      verdict: "not-run",
      reason: "takes 1 min on a real clock; the time budget is 1 s",
    });
  });
});

const leavesThemStalled: ActingCheck["run"] = async ({ workers }) => {
  await workers.set(0);
  throw new Error("in the middle");
};

const throwsWhileStalled: ActingCheck["run"] = async ({ workers, api, expect: demand }) => {
  const failing = workers.whileStalled(async () => Promise.reject(new Error("in the middle")));
  const thrown = await failing.catch(String);
  demand.equal(thrown, "Error: in the middle", "what is thrown");
  const seen = demand.body(await api.health(), "HealthAnswer");
  demand.equal(seen.workers, { idle: 1, running: 0 }, "workers after the stall");
};
