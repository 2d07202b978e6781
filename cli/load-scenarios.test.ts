import { describe, expect, test } from "vitest";

import { runCommandLine } from "./program.ts";
import { fakeIo } from "../test/cli/fake-io.ts";
import { temporaryDirectory } from "../test/cli/temporary-directory.ts";

describe("scenarios", () => {
  test("are listed with what they need and cost", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["list", "--scenarios"], io)).toBe(0);
    expect(io.output()).toMatch(/^deep-queue +handler, workers, endpoints +- +21000 +10000 /m);
    expect(io.output()).toMatch(/^steady-mix +quick +segment, k8s +27347 /m);
    expect(io.output()).toMatch(/^webhook-storm +quick, webhook +segment +1001 /m);
    expect(io.output()).toMatch(/^burst-cancel .*one beyond its limit/m);
  });

  test("that are misspelt are answered with the nearest", async () => {
    const io = fakeIo();
    expect(await runCommandLine(["load", "staedy-mix", "rate-runs"], io)).toBe(2);
    expect(io.errors()).toContain('"staedy-mix"; did you mean "steady-mix"?');
    expect(io.errors()).toContain('did you mean "rate-run"?');
  });

  test("are planned alone, in the size that is given", async () => {
    const io = fakeIo();
    const words = [
      "load",
      "whole-jobs",
      "--duration",
      "10s",
      "--scale",
      "0.1",
      "--dry-run",
      "--json",
    ];
    expect(await runCommandLine(words, io)).toBe(0);
    const plan: unknown = JSON.parse(io.output());
    expect(plan).toMatchObject({
      plan: { checks: 1, requests: 130, jobs: 26, durationMs: 10_000 },
      load: [],
      scenarios: [{ name: "whole-jobs", needs: ["quick"] }],
    });
  });

  test.each([
    { words: "deep-queue --segment 1/2", why: "one process makes and frees" },
    { words: "deep-queue --distributed k8s", why: "one process makes and frees" },
    { words: "webhook-storm --distributed k8s", why: "does not run in the cluster" },
    { words: "retention-churn --segment 1/11", why: "at most 10 runners can share it" },
    { words: "cancel-storm --scale 0.01 --distributed k8s --runners 3", why: "2 runners" },
    { words: "steady-mix spike --segment 1/2", why: "only one scenario can be shared at a time" },
    { words: "rate-run spike --segment 1/2", why: "only one scenario can be shared at a time" },
    { words: "burst-run --segment 1/2", why: "run on one machine only" },
  ])("that cannot be shared like that are refused: $words", async ({ words, why }) => {
    const io = fakeIo({ workingDirectory: temporaryDirectory() });
    const target = ["--base-url", "http://127.0.0.1:1", "--endpoint", "e", "--api-key", "k"];
    expect(await runCommandLine(["load", ...words.split(" "), ...target], io)).toBe(2);
    expect(io.errors()).toContain(why);
    expect(io.errors()).toMatch(/hint: +[A-Z].*\./);
  });

  test("are not run without k6, and a run that decides nothing is not green", async () => {
    const workingDirectory = temporaryDirectory();
    const io = fakeIo({ workingDirectory, environment: { K6_PATH: "/no/such/k6" } });
    expect(await runCommandLine(["load", "whole-jobs", "--format", "json"], io)).toBe(3);
    expect(io.output()).toContain("K6_PATH is /no/such/k6");
  });
});
