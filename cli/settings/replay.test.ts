import { describe, expect, test } from "vitest";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Report } from "../../reports/model.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { fakeIo } from "../../test/cli/fake-io.ts";
import { reportOf } from "../../test/cli/report.ts";
import { temporaryDirectory } from "../../test/cli/temporary-directory.ts";
import type { ContractCommandSettings } from "./contract.ts";
import { replaySettings } from "./replay.ts";
import type { Flags } from "./sources.ts";

function settingsFor(
  target: Partial<Report["target"]>,
  { flags = {}, environment = {} }: { flags?: Flags; environment?: Io["environment"] } = {},
  rest: Partial<Report> = {},
  id: RequirementId = "RUNA-01",
): ContractCommandSettings {
  const report = reportOf({ "RUNA-01": "fail" });
  const source = { ...report, seed: 41, ...rest, target: { ...report.target, ...target } };
  const io = fakeIo({ environment, workingDirectory: temporaryDirectory() });
  const given = { flags, config: undefined };
  return replaySettings(source, { id, file: "r.json", given }, io);
}

const key = { QUEUEPROOF_API_KEY: "k" };

describe("what is repeated comes from the report", () => {
  test("seed, target, endpoint, capabilities and dialect, with the key of the environment", () => {
    const capabilities = ["handler", "clock", "foreignKey"];
    const settings = settingsFor({ capabilities }, { environment: key }, { dialect: "rp-local" });
    expect(settings).toMatchObject({
      target: { baseUrl: "http://a.test", endpointId: "e", apiKey: "k" },
      capabilities: ["handler"],
      dialect: { name: "rp-local" },
      seed: 41,
      only: ["RUNA-01"],
      timeBudgetMs: Number.MAX_SAFE_INTEGER,
    });
    expect(settings.reportDirectory).toMatch(/reports\/replay$/);
  });

  test("and not from variables that are set for another run", () => {
    const environment = {
      ...key,
      QUEUEPROOF_BASE_URL: "http://other.test",
      QUEUEPROOF_SEED: "7",
      QUEUEPROOF_SKIP: "RUNA-01",
      QUEUEPROOF_BASELINE_UPDATE: "1",
    };
    const settings = settingsFor({}, { environment });
    expect(settings).toMatchObject({ target: { baseUrl: "http://a.test" }, seed: 41, skip: [] });
  });

  test("but an option that was typed wins", () => {
    const flags = { baseUrl: "http://b.test", apiKey: "k" };
    expect(settingsFor({}, { flags }).target).toMatchObject({ baseUrl: "http://b.test" });
  });

  test("with control no key is needed, and none of another run disturbs", () => {
    const controlUrl = "http://127.0.0.1:9/__control";
    const settings = settingsFor({ endpointId: "", controlUrl }, { environment: key });
    expect(settings.target).toMatchObject({ controlUrl, apiKey: undefined });
  });

  test("the embedded reference is started anew, whatever the variables say", () => {
    const environment = { ...key, QUEUEPROOF_BASE_URL: "http://other.test" };
    expect(settingsFor({ embedded: true }, { environment }).target).toBeUndefined();
  });
});

const settings = { dialectFile: "ours.json" };
const far = { baseUrl: "http://a.test", capabilities: ["webhook", "foreignKey"] };

test.each<[string, Parameters<typeof settingsFor>, RegExp, string]>([
  ["the key", [{}], /^r\.json holds no key, and http:\/\/a\.test asks for one/, "--api-key KEY"],
  [
    "a dialect file",
    [{}, { environment: key }, { dialect: "ours", settings }],
    /^r\.json does not tell all[^]*ours\.json is none of/,
    "--dialect FILE",
  ],
  [
    "the foreign key",
    [far, { environment: key }, {}, "AUTH-05"],
    /^AUTH-05 needs a key without permission for the endpoint, which r\.json does not hold/,
    "--foreign-key KEY",
  ],
  [
    "the webhook URL",
    [far, { environment: key }, {}, "HOOK-04"],
    /^HOOK-04 needs a public URL that leads to the webhook receiver, which r\.json/,
    "--webhook-url URL",
  ],
  [
    "one run",
    [{ baseUrl: "http://a.test, http://b.test" }, { environment: key }],
    /^r\.json puts runs of different targets together/,
    "one of these runs",
  ],
])("%s is asked for by name", (_, given, problem, hint) => {
  const error = (() => {
    try {
      return settingsFor(...given);
    } catch (thrown) {
      return thrown;
    }
  })();
  if (!(error instanceof CommandError)) throw new Error("nothing was asked for");
  expect([error.message, ...error.problems].join("\n")).toMatch(problem);
  expect(error.hint).toContain(hint);
});

test("what the run was told is told again: budget, time-out, port of the receiver", () => {
  const told = { timeBudgetMs: 5_000, timeoutMs: 700, webhookPort: 8081 };
  expect(settingsFor({}, { environment: key }, { settings: told })).toMatchObject(told);
});

test("the jobs of one's own workers come from the report", () => {
  const jobs = { quick: { input: { prompt: "hello" }, atMostMs: 5_000 } };
  const capabilities = ["quick", "slow"];
  const again = settingsFor({ capabilities }, { environment: key }, { settings: { jobs } });
  expect(again).toMatchObject({ jobs, capabilities: [] });
});
