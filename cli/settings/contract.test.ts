import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import { contractSettings } from "./contract.ts";
import type { ContractCommandSettings } from "./contract.ts";
import type { Flags } from "./sources.ts";

function settingsOf(flags: Flags, given: Partial<Io> = {}): ContractCommandSettings {
  return contractSettings(flags, undefined, fakeIo(given));
}

function refusalOf(flags: Flags, given: Partial<Io> = {}): CommandError {
  try {
    settingsOf(flags, given);
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error("the settings were accepted");
}

describe("the time-out of an answer", () => {
  test.each([
    { timeout: undefined, ms: 30_000 },
    { timeout: "500ms", ms: 500 },
    { timeout: "0.1s", ms: 100 },
    { timeout: "9d", ms: 3_600_000 },
  ])("$timeout is $ms ms", ({ timeout, ms }) => {
    expect(settingsOf(timeout === undefined ? {} : { timeout }).timeoutMs).toBe(ms);
  });

  test.each(["0s", "0.00m", "full", "-1s"])("%j is refused", (timeout) => {
    const { problems } = refusalOf({ timeout });
    expect(problems).toEqual([
      `--timeout: expected a duration of more than 0, such as 500ms, 30s or 2m, got "${timeout}"`,
    ]);
  });
});

describe("the target", () => {
  test("is the embedded reference when nothing names one", () => {
    expect(settingsOf({}).target).toBeUndefined();
  });

  test.each([
    { flags: { jobs: "jobs.json" }, option: "--jobs" },
    { flags: { input: "{}" }, option: "--input" },
    { flags: { endpoint: ["e"] }, option: "--endpoint" },
    { flags: { webhookUrl: "https://example.org" }, option: "--webhook-url" },
  ])("is not the embedded reference beside $option alone", ({ flags, option }) => {
    expect(refusalOf(flags).problems).toEqual([`${option} needs a target: give --base-url too`]);
  });

  test("is the embedded reference beside an input where it was asked for", () => {
    expect(settingsOf({ reference: true, input: "{}" })).toMatchObject({
      target: undefined,
      reference: true,
    });
  });

  test("has to be named in CI", () => {
    const environment = { CI: "true" };
    expect(refusalOf({}, { environment }).problems).toEqual([
      "no target is given, and CI is true: give --base-url, or --reference to test the embedded reference",
    ]);
    expect(settingsOf({ reference: true }, { environment }).target).toBeUndefined();
  });

  test.each([{ baseUrl: "http://127.0.0.1:1" }, { control: "http://127.0.0.1:1/__control" }])(
    "is one alone: %j and the reference are refused",
    (given) => {
      const [problem] = refusalOf({ ...given, reference: true }).problems;
      expect(problem).toContain("name two targets: leave one out");
    },
  );

  test("is told by a control URL that ends in /__control", () => {
    const { target } = settingsOf({ control: "http://127.0.0.1:8080/__control/" });
    expect(target).toMatchObject({
      baseUrl: "http://127.0.0.1:8080",
      controlUrl: "http://127.0.0.1:8080/__control",
    });
  });

  test.each([{ QUEUEPROOF_API_KEY: "k-of-a-curl-line" }, { QUEUEPROOF_ENDPOINT: "e" }])(
    "is fresh where control was given and a variable alone says otherwise: %j",
    (environment) => {
      const { target } = settingsOf(
        { control: "http://127.0.0.1:8080/__control" },
        { environment },
      );
      expect(target).toMatchObject({ endpointId: undefined, apiKey: undefined });
    },
  );

  test("is shared where variables name both endpoint and key beside control", () => {
    const environment = { QUEUEPROOF_API_KEY: "k", QUEUEPROOF_ENDPOINT: "e" };
    const { target } = settingsOf({ control: "http://127.0.0.1:8080/__control" }, { environment });
    expect(target).toMatchObject({ endpointId: "e", apiKey: "k" });
  });

  test.each<{ flags: Flags; problems: readonly string[] }>([
    {
      flags: { control: "http://127.0.0.1:8080/rig" },
      problems: ["--base-url is missing, and --control does not end in /__control to tell it"],
    },
    {
      flags: { baseUrl: "http://127.0.0.1:8080" },
      problems: [
        "--endpoint is missing: --base-url without --control needs it",
        "--api-key is missing: --base-url without --control needs it",
      ],
    },
    {
      flags: { endpoint: "e", apiKey: "k" },
      problems: [
        "--endpoint needs a target: give --base-url too",
        "--api-key needs a target: give --base-url too",
      ],
    },
    {
      flags: { control: "http://127.0.0.1:8080/__control", endpoint: "e" },
      problems: ["--endpoint and --api-key belong together: with --control give both or neither"],
    },
  ])("is refused of $flags", ({ flags, problems }) => {
    const refusal = refusalOf(flags);
    expect(refusal.code).toBe("WRONG_USAGE");
    expect(refusal.problems).toEqual(problems);
  });
});

describe("the selection", () => {
  test("is ids in catalogue order, whatever way they were named", () => {
    expect(settingsOf({ only: ["runa-02"] }).only).toEqual(["RUNA-02"]);
    expect(settingsOf({ only: ["RUNA-02", "RUNA-01"] }).only).toEqual(["RUNA-01", "RUNA-02"]);
    expect(settingsOf({ only: ["AUTH-0?"] }).only).toHaveLength(6);
  });

  test("takes the requirements of profiles, and those that are named beside them", () => {
    const { only, profiles } = settingsOf({ profile: ["storage"], only: ["RUNA-01"] });
    expect(only).toEqual(["S3CF-01", "S3CF-02", "S3CF-03", "RUNA-01"]);
    expect(profiles).toEqual(["storage"]);
    expect(settingsOf({ profile: ["storage,limits"] }).profiles).toEqual(["storage", "limits"]);
    expect(refusalOf({ profile: ["storge"] }).problems).toEqual([
      expect.stringMatching(/^--profile.* one of core, policy, .*storge/),
    ]);
    expect(settingsOf({ skip: ["*-01"] }).skip).toContain("STAT-01");
  });

  test("of what may stay undecided comes from options, the environment and the file", () => {
    const allowed = ["CANC-01", "CANC-02"];
    expect(settingsOf({ allowInconclusive: allowed }).allowInconclusive).toEqual(allowed);
    const environment = { QUEUEPROOF_ALLOW_INCONCLUSIVE: "CANC-01,CANC-02" };
    expect(settingsOf({}, { environment }).allowInconclusive).toEqual(allowed);
    const workingDirectory = temporaryDirectory();
    const file = { allowInconclusive: allowed };
    writeFileSync(join(workingDirectory, "queueproof.config.json"), JSON.stringify(file));
    expect(settingsOf({}, { workingDirectory }).allowInconclusive).toEqual(allowed);
  });

  test("names every pattern that matches nothing, with the nearest that would", () => {
    const { problems } = refusalOf({
      only: ["RUNNA-01"],
      skip: ["ATUH-*"],
      require: ["R.NA-01"],
      allowInconclusive: ["CONK-*"],
    });
    expect(problems).toEqual([
      '--only RUNNA-01 matches no requirement; did you mean "RUNA-01"?',
      '--skip ATUH-* matches no requirement; did you mean "AUTH-*"?',
      '--require R.NA-01 matches no requirement; did you mean "RUNA-01"?',
      '--allow-inconclusive CONK-* matches no requirement; did you mean "CONC-*"?',
    ]);
  });

  test("is judged together with everything else that is wrong, each with its place", () => {
    const workingDirectory = temporaryDirectory();
    const path = join(workingDirectory, "queueproof.config.json");
    const file = { seed: "x", only: ["AUTH-*", "ATUH-*"], dialect: "runpot" };
    writeFileSync(path, JSON.stringify(file));
    const { problems } = refusalOf({ skip: ["NO-1"] }, { workingDirectory });
    expect(problems).toEqual([
      `${path} /seed: expected an integer from 0 to 4294967295, got "x"`,
      `${path} /only/1 ATUH-* matches no requirement; did you mean "AUTH-*"?`,
      expect.stringMatching(/^--skip NO-1 matches no requirement/),
      expect.stringMatching(/config\.json \/dialect runpot is none of/),
      expect.stringMatching(/ENOENT/),
    ]);
  });

  test("of nothing is refused", () => {
    expect(refusalOf({ only: ["RUNA-01"], skip: ["RUNA-*"] }).code).toBe("NOTHING_SELECTED");
    expect(refusalOf({ skip: ["*"] }).code).toBe("NOTHING_SELECTED");
  });
});

test("what is not given has the default of the documentation", () => {
  expect(settingsOf({})).toMatchObject({
    timeBudgetMs: 120_000,
    seed: 1,
    reportDirectory: "/nonexistent/reports/latest",
    formats: ["html", "junit", "json", "md", "har", "ctrf", "badge"],
    profiles: [],
    only: [],
  });
});

test("--baseline-update needs a file to write to", () => {
  expect(refusalOf({ baselineUpdate: true }).problems).toHaveLength(1);
});
