import { describe, expect, onTestFinished, test } from "vitest";
import { requirementIds } from "../../openapi/requirements.ts";
import { runContract } from "../../contracts/run-contract.ts";
import type { Plan } from "../../contracts/plan.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { runnerSettings } from "../runner-settings.ts";
import { runCommandLine } from "../program.ts";
import { contractSettings } from "../settings/contract.ts";
import type { Flags } from "../settings/sources.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";

/** Starts a reference with a real clock and no control protocol, and records which operations it is asked for. */
async function bareReference(): Promise<{ reference: Reference; asked: string[] }> {
  const asked: string[] = [];
  const headers = (operation: string | undefined): Record<string, string> => {
    asked.push(operation ?? "a path of no operation");
    return {};
  };
  const behaviour = changed(specified, { transport: { headers } });
  const reference = await startReference({ behaviour, control: false });
  onTestFinished(async () => reference.stop());
  return { reference, asked };
}

function wordsFor({ baseUrl, endpointId, apiKey }: Reference): readonly string[] {
  return ["--base-url", baseUrl, "--endpoint", endpointId, "--api-key", apiKey];
}

interface PrintedPlan extends Plan {
  readonly sent: string;
}

function isPlan(value: unknown): value is PrintedPlan {
  return typeof value === "object" && value !== null && "checks" in value && "sent" in value;
}

async function planned(words: readonly string[]): Promise<PrintedPlan> {
  const io = fakeIo();
  const exitCode = await runCommandLine(["contract", "--dry-run", "--json", ...words], io);
  expect(io.errors()).toBe("");
  expect(exitCode).toBe(0);
  const plan: unknown = JSON.parse(io.output());
  if (!isPlan(plan)) throw new Error("no plan was printed");
  return plan;
}

describe("a dry run of load", () => {
  test("says what cannot run and why, what other engines test, and where k6 would come from", async () => {
    const { reference } = await bareReference();
    const io = fakeIo({ environment: { PATH: "", XDG_CACHE_HOME: "/nowhere" } });
    const words = ["load", "--dry-run", ...wordsFor(reference), "--only", "RATE-05"];
    expect(await runCommandLine(words, io)).toBe(0);
    const said = io.output();
    expect(said).toContain("rate/limit-of-cancel  1025 requests");
    expect(said).toContain(
      "rate/later-windows-of-cancel  not run: the target does not offer endpoints, clock",
    );
    expect(said).toContain("RATE-05  by a burst of autocannon");
    expect(said).toContain("k6  is built first where Go is installed, and not run elsewhere");
  });
});

describe("a dry run", () => {
  test("sends one health and nothing else to a bare target", async () => {
    const { reference, asked } = await bareReference();
    const { sent, clock, checks } = await planned(wordsFor(reference));
    expect(asked).toEqual(["health"]);
    expect(sent).toContain("one health");
    expect(clock).toBe("real");
    expect(checks.length).toBeGreaterThan(0);
  });

  test("says what is missing, and how long and how much", async () => {
    const { reference } = await bareReference();
    const capabilities = ["--capability", "handler", "--time-budget", "6s"];
    const plan = await planned([...wordsFor(reference), ...capabilities]);
    const reasons = plan.notRun.map(({ reason }) => reason);
    expect(reasons).toContain("the target does not offer foreignKey");
    expect(reasons.join()).toContain("the time budget is 6 s");
    expect(plan.longestMs).toBeLessThanOrEqual(6000);
    const followingMs = plan.critical.reduce((sumMs, { ms }) => sumMs + ms, 0);
    expect(plan.expectedMs).toBeCloseTo(followingMs);
    expect(plan.expectedMs).toBeGreaterThanOrEqual(plan.longestMs);
    expect(plan.shorter.map(({ by }) => by)).toContain("two more endpoints (--endpoint a,b,c)");
    expect(plan.requests).toBeGreaterThan(plan.jobs);
    expect(plan.jobs).toBeGreaterThan(0);
    const told = [...plan.requirements, ...plan.notRun.flatMap(({ requirements }) => requirements)];
    expect(told.toSorted()).toEqual(requirementIds.toSorted());
  });

  test("counts no requirement that nobody would bring about", async () => {
    const { reference } = await bareReference();
    const { requirements, notRun } = await planned([...wordsFor(reference), "--only", "STAT-02"]);
    expect(requirements).toEqual([]);
    expect(notRun.flatMap((group) => group.requirements)).toEqual(["STAT-02"]);
  });

  test("plans what then runs", async () => {
    const { reference } = await bareReference();
    const { baseUrl, endpointId, apiKey } = reference;
    const flags: Flags = { baseUrl, endpoint: endpointId, apiKey, only: ["SUBM-*", "HLTH-*"] };
    const settings = contractSettings({ ...flags, timeBudget: "0s" }, undefined, fakeIo());
    if (settings.target === undefined) throw new Error("no target");
    const selection = ["--time-budget", "0s", "--only", "SUBM-*,HLTH-*"];
    const plan = await planned([...wordsFor(reference), ...selection]);
    const { results } = await runContract(runnerSettings(settings, settings.target));
    const ran = results.filter(({ verdict }) => verdict !== "not-run").map(({ name }) => name);
    expect(plan.checks.map(({ name }) => name).toSorted()).toEqual([...new Set(ran)].toSorted());
  });

  test("leaves out what the dialect knows to be missing, with its reason", async () => {
    const { reference, asked } = await bareReference();
    const words = [...wordsFor(reference), "--dialect", "rp-local", "--only", "CANC-*"];
    const { checks, notRun, sent } = await planned(words);
    expect(checks.filter(({ covers }) => covers.every((id) => id.startsWith("CANC")))).toEqual([]);
    expect(notRun.map(({ reason }) => reason)).toContain("there is no cancel (dialect rp-local)");
    expect(sent).toContain("one status");
    expect(asked).toHaveLength(1);
  });

  test("tells people the same", async () => {
    const io = fakeIo();
    const exitCode = await runCommandLine(["contract", "--dry-run", "--only", "AUTH-*"], io);
    expect(exitCode).toBe(0);
    expect(io.output()).toMatch(/^Target: .*dialect spec/m);
    expect(io.output()).toMatch(/^Runs: +\d+ checks, for 6 of \d+ requirements$/m);
    expect(io.output()).toContain(`for 6 of ${requirementIds.length} requirements`);
    expect(io.output()).toContain("seconds: the clock is virtual");
    expect(io.output()).toContain("auth/no-header ");
    expect(io.output()).toContain("Dry run. The embedded reference was started");
  });

  test.each([
    { command: "contract", told: ["24 are decided by `queueproof load` or `queueproof run`"] },
    { command: "run", told: [] },
  ])("of $command says of limits and caps who decides them", async ({ command, told }) => {
    const io = fakeIo();
    expect(await runCommandLine([command, "--dry-run", "--time-budget", "0s"], io)).toBe(0);
    expect(io.output().match(/\d+ are decided by .*/g) ?? []).toEqual(told);
    expect(io.output()).not.toContain("no check covers it");
  });

  test("is what --json needs", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["contract", "--json"], io)).toBe(2);
    expect(io.errors()).toContain("--json needs --dry-run");
  });

  test("ends with 3 where the target does not answer", async () => {
    const io = fakeIo();
    const words = ["--base-url", "http://127.0.0.1:9", "--endpoint", "e", "--api-key", "k"];
    expect(await runCommandLine(["contract", "--dry-run", ...words], io)).toBe(3);
  });
});
