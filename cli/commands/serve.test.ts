import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandError } from "../errors.ts";
import { serveSettings } from "../settings/serve.ts";
import type { ServeSettings } from "../settings/serve.ts";
import type { Flags } from "../settings/sources.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { runHere } from "../../test/cli/failed-run.ts";
import { serveHere } from "../../test/cli/served.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";

function settings(flags: Flags, file?: unknown): ServeSettings {
  const workingDirectory = temporaryDirectory();
  const text = typeof file === "string" ? file : JSON.stringify(file);
  if (file !== undefined) writeFileSync(join(workingDirectory, "endpoints.json"), text);
  return serveSettings(flags, undefined, fakeIo({ workingDirectory }));
}

function refusal(flags: Flags, file?: unknown): CommandError {
  try {
    settings(flags, file);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

describe("the settings of serve", () => {
  test.each([
    [{ workers: "3" }, { workers: 3 }],
    [{ workers: "0-5" }, { workers: { min: 0, max: 5 } }],
    [{ real: true }, { workers: 3 }],
    [{ real: true, workers: "7" }, { workers: 7 }],
    [{ speed: "60" }, { speed: 60, clock: "real" }],
    [{ allowance: "50" }, { allowancePerWorker: 50 }],
  ] as const)("%j is an endpoint with %j", (flags, endpoint) => {
    expect(settings(flags).endpoints).toMatchObject([endpoint]);
  });

  test.each([
    [{ latency: "50ms" }, { latency: { fromMs: 50, toMs: 50 } }],
    [{ latency: "20ms-1s" }, { latency: { fromMs: 20, toMs: 1_000 } }],
    [{ failRate: "5%" }, { failRate: 0.05 }],
    [{ failRate: ".25" }, { failRate: 0.25 }],
    [{ stopWithin: "1m" }, { stopWithinMs: 60_000 }],
    [{ webhookTo: ["loopback,hook.local"] }, { webhookTo: ["loopback", "hook.local"] }],
  ] as const)("%j is %j", (flags, expected) => {
    expect(settings(flags)).toMatchObject(expected);
  });

  test("every wrong option is told at once, by its name", () => {
    const flags = { workers: "5-2", failRate: "300%", latency: "soon", speed: "0" };
    expect(refusal(flags).problems).toEqual([
      expect.stringMatching(/^--speed: expected an integer from 1 to 100000, got 0$/),
      expect.stringMatching(/^--latency: expected a duration .* got "soon"$/),
      expect.stringMatching(/^--workers: expected the smaller number first, got "5-2"$/),
      expect.stringMatching(/^--fail-rate: expected at most 100%, got "300%"$/),
    ]);
  });

  test("a latency whose range is the wrong way round is refused", () => {
    expect(refusal({ latency: "200ms-20ms" }).problems).toEqual([
      '--latency: expected the shorter duration first, got "200ms-20ms"',
    ]);
  });

  test("real workers crash and fail by themselves", () => {
    const fault = ["webhook-lost", "worker-crash", "job-fails"];
    const own = / expected none of the built-in handler beside external workers, got /;
    expect(refusal({ worker: "external", fault }).problems).toEqual([
      expect.stringMatching(own),
      expect.stringMatching(own),
    ]);
    expect(settings({ fault }).faults).toEqual(fault);
  });

  test("a file of endpoints says it all", () => {
    const file = {
      endpoints: [
        { id: "images", apiKey: "k-1", scaling: { min: 0, max: 5 }, executionTimeout: "10m" },
        { id: "slow", clock: "virtual", limits: { run: { requests: 5 } }, allowance: 2 },
      ],
    };
    expect(settings({ endpoints: "endpoints.json", speed: "60" }, file).endpoints).toMatchObject([
      { id: "images", apiKey: "k-1", workers: { min: 0, max: 5 }, executionTimeoutMs: 600_000 },
      { id: "slow", clock: "virtual", limits: { run: { requests: 5 } }, allowancePerWorker: 2 },
    ]);
  });

  test("every wrong member of the file is told with its path, and no key is shown", () => {
    const file = {
      endpoints: [
        { id: "a", wrkers: 2 },
        { id: "b", apiKey: "se cret", clock: "virtul", limits: { rn: {} } },
        { workers: -1 },
      ],
    };
    const { problems } = refusal({ endpoints: "endpoints.json" }, file);
    expect(problems).toEqual([
      '/endpoints/0/wrkers is not a known key; did you mean "workers"?',
      "/endpoints/1/apiKey: expected a key without spaces, got ***",
      '/endpoints/1/clock: expected "real" or "virtual", got "virtul"; did you mean "virtual"?',
      '/endpoints/1/limits/rn is not a known key; did you mean "run"?',
      "/endpoints/2/id is missing",
      "/endpoints/2/workers: expected an integer from 0 to 1000000, got -1",
    ]);
  });

  test.each([
    [{ id: "a", workers: 1, scaling: { min: 0, max: 1 } }, /workers or scaling, got both/],
    [{ id: "a", scaling: { min: 3, max: 1 } }, /^\/endpoints\/0\/scaling\/min: expected at most/],
    [{ id: "a", clock: "virtual", speed: 2 }, /^\/endpoints\/0\/speed: expected none/],
  ])("%j contradicts itself", (endpoint, problem) => {
    const { problems } = refusal({ endpoints: "endpoints.json" }, { endpoints: [endpoint] });
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  test("one id twice, a file that is not there and one that is no JSON are refused", () => {
    const twice = { endpoints: [{ id: "a" }, { id: "a" }] };
    const flags = { endpoints: "endpoints.json" };
    expect(refusal(flags, twice).problems).toEqual([
      '/endpoints/1/id: "a" is the id of /endpoints/0',
    ]);
    expect(refusal(flags).message).toMatch(/cannot be read/);
    expect(refusal(flags, "{").message).toMatch(/is not JSON/);
  });
});

describe("serve", () => {
  test.each([
    [{}, [200, 200]],
    [{ noControl: true }, [404, 404]],
  ] as const)("with %j control and page answer %j", async (flags, expected) => {
    const { own } = await serveHere(flags);
    const asked = ["/__control/", "/__console/state"].map((path) => own("GET", path));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(expected);
  });

  test("--list-faults prints them, and one that is not there is exit code 2", async () => {
    const list = await runHere(["serve", "--list-faults"], temporaryDirectory());
    expect(list.output).toMatch(/^ {2}429-storm\n {6}For 5 s of every 15 s /m);
    const words = ["serve", "--fault", "429-strom"];
    const end = await runHere(words, temporaryDirectory());
    expect(end.exitCode).toBe(2);
    expect(end.errors).toMatch(/did you mean "429-storm"\?\nhint: .*--list-faults/);
  });
});
