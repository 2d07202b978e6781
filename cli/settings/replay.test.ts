import { describe, expect, test } from "vitest";
import type { Report } from "../../reports/index.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { fakeIo } from "../testing/fake-io.ts";
import { reportOf } from "../testing/report.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import type { ContractCommandSettings } from "./contract.ts";
import { replaySettings } from "./replay.ts";
import type { Flags } from "./sources.ts";

function settingsFor(
  target: Partial<Report["target"]>,
  { flags = {}, environment = {} }: { flags?: Flags; environment?: Io["environment"] } = {},
  rest: Partial<Report> = {},
): ContractCommandSettings {
  const report = reportOf({ "RUNA-01": "fail" });
  const source = { ...report, seed: 41, ...rest, target: { ...report.target, ...target } };
  const io = fakeIo({ environment, workingDirectory: temporaryDirectory() });
  const given = { flags, config: undefined };
  return replaySettings(source, { id: "RUNA-01", file: "r.json", given }, io);
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

test.each<[string, Parameters<typeof settingsFor>, RegExp]>([
  ["the key", [{}], /--api-key is missing/],
  ["a dialect file", [{}, { environment: key }, { dialect: "ours" }], /no file can be read there/],
])("%s is asked for by name", (_, given, problem) => {
  const error = (() => {
    try {
      return settingsFor(...given);
    } catch (thrown) {
      return thrown;
    }
  })();
  if (!(error instanceof CommandError)) throw new Error("nothing was asked for");
  expect([error.message, ...error.problems].join("\n")).toMatch(problem);
  expect(error.message).toMatch(/^r\.json does not tell all that is needed/);
  expect(error.hint).toContain("QUEUEPROOF_API_KEY");
});
