import { describe, expect, test } from "vitest";

import { requirementsOf, withCauses } from "./causes.ts";
import type { Evidence, Fact, Mismatch, ReportCheck, ReportRequirement } from "./model.ts";

function answered(path: string, status: number, body: unknown = { error: "no" }): Evidence {
  const request = {
    method: "GET",
    url: `http://127.0.0.1:1/v2/e/${path}`,
    headers: {},
    body: null,
  };
  return { request, response: { status, headers: { via: "a cache" }, body }, atMs: 0, curl: "" };
}

interface Failed extends Omit<Mismatch<string>, "requirement" | "exchange"> {
  readonly shown: Evidence;
}

function entry(id: string, { shown, ...differs }: Failed, name = `check/${id}`): ReportRequirement {
  const mismatch = { requirement: id, exchange: 0, ...differs };
  const check: ReportCheck = {
    name,
    verdict: "fail",
    durationMs: 0,
    mismatches: [mismatch],
    evidence: [shown],
  };
  return requirementOf(id, check);
}

function requirementOf(id: string, check: ReportCheck): ReportRequirement {
  const told = { area: "status", level: "must", text: "", section: "" } as const;
  return { id, ...told, verdict: check.verdict, checks: [check] };
}

const success = "a success (2xx)";

function failed(id: string, job: string): ReportRequirement {
  return entry(id, {
    at: `status of ${job}`,
    expected: success,
    got: `status 500, {"error":"job ${job} lost"}`,
    shown: answered(`status/${job}`, 500),
  });
}

function accepted(id: string, at: string): ReportRequirement {
  return entry(id, { at, expected: "status 400", got: "status 200", shown: answered("run", 200) });
}

function undecided(id: string, reason: string): ReportRequirement {
  return requirementOf(id, {
    name: id,
    verdict: "inconclusive",
    durationMs: 0,
    reason,
    evidence: [],
  });
}

describe("one cause", () => {
  test("is one operation's answer where a success was due, whatever ids and numbers it holds", () => {
    const { causes, requirements } = withCauses(
      [failed("STAT-01", "5e37fe93-fa7a-4d6a"), failed("STAT-03", "9b0c5ecf-a698-e058")],
      [],
    );
    expect(causes).toMatchObject([{ requirements: ["STAT-01", "STAT-03"], checks: 2 }]);
    expect(causes[0]?.id).toMatch(/^status-answered-500/);
    expect(causes[0]?.text).toContain("via: a cache");
    expect(new Set(requirements.map(({ cause }) => cause)).size).toBe(1);
  });

  test("is not what was wrong with different requests, or different members", () => {
    const { causes } = withCauses(
      [accepted("POLI-01", "run, executionTimeout 1"), accepted("POLI-02", "run, ttl 1")],
      [],
    );
    expect(causes.map(({ id }) => id)).toEqual(["poli-01-executiontimeout", "poli-02-ttl"]);
  });

  test("holds what could not be decided for it, and not what was undecided for another reason", () => {
    const shown = answered("cancel/a", 500, { error: "boom" });
    const broken = entry("CANC-01", {
      at: "cancel",
      expected: success,
      got: 'status 500, {"error":"boom"}',
      shown,
    });
    const { causes } = withCauses(
      [
        broken,
        undecided("RETR-02", 'cancel answered 500, {"error":"boom"}'),
        undecided("HLTH-02", "the clock is too coarse"),
      ],
      [],
    );
    expect(causes.map((cause) => cause.requirements)).toEqual([["CANC-01", "RETR-02"]]);
  });

  test("that was learned comes first, with how the run went on", () => {
    const fact: Fact = {
      id: "missing-stream",
      topic: "missing",
      text: "there is no stream",
      adapted: "not asked for again",
      breaks: ["STRM-01"],
      dialect: { lacks: ["stream"] },
      evidence: [],
    };
    const notRun: ReportCheck = {
      name: "a",
      verdict: "not-run",
      durationMs: 0,
      cause: fact.id,
      evidence: [],
    };
    const { causes } = withCauses(
      [
        entry("AUTH-01", { at: "a", expected: "b", got: "c", shown: answered("run", 200) }),
        requirementOf("STRM-02", notRun),
      ],
      [fact],
    );
    expect(causes[0]).toMatchObject({ id: "missing-stream", adapted: "not asked for again" });
    expect(causes[0]?.requirements).toEqual(["STRM-02"]);
    expect(causes).toHaveLength(2);
  });
});

test("a requirement that two causes break is told under both", () => {
  const shown = answered("run", 200);
  const checks = ["envelope", "states-otherwise"].map((cause) => ({
    name: `discovery/${cause}`,
    verdict: "fail" as const,
    durationMs: 0,
    cause,
    evidence: [shown],
  }));
  const [first] = checks;
  if (first === undefined) throw new Error("there are two checks");
  const requirement = { ...requirementOf("ENDP-05", first), checks };
  const facts: readonly Fact[] = checks.map(({ cause }) => ({
    id: cause,
    topic: "answers",
    text: cause,
    breaks: ["ENDP-05"],
    evidence: [shown],
  }));
  const { requirements, causes } = withCauses([requirement], facts);
  expect(causes.map((cause) => requirementsOf(cause, { requirements }))).toEqual([
    { broken: ["ENDP-05"], kept: [] },
    { broken: ["ENDP-05"], kept: [] },
  ]);
});
