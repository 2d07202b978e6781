import { isJsonObject } from "../../client/parse-json.ts";
/** One input that people have already, to try their handler with. */
export interface JobTest {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** How long its job may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Whether its job is meant to fail. */
  readonly expectsFailure: boolean;
}

/** The tests of a file, or every problem of it, one line each. */
export type ParsedTests =
  | {
      readonly ok: true;
      readonly tests: readonly JobTest[];
      /** What `config.env` gives to the worker. */
      readonly environment: Readonly<Record<string, string>>;
      /** Members of `config` that nothing here uses. */
      readonly unused: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly string[] };

const submissionMembers: ReadonlySet<string> = new Set(["input", "webhook", "policy", "s3Config"]);

/** Whether a file is one of tests, `test_input.json` or `.runpod/tests.json`, and no jobs file. */
export function isTestsFile(value: unknown): boolean {
  return isJsonObject(value) && ("tests" in value || "input" in value);
}

/**
 * Reads `test_input.json`, which is a body of run, or `.runpod/tests.json`, a list of named tests whose `input` is the
 * input or a whole body. A test that names no time has `timeoutMsDefault`.
 */
export function parseTests(value: unknown, timeoutMsDefault = 60_000): ParsedTests {
  const listed = isJsonObject(value) ? (value["tests"] ?? [value]) : undefined;
  if (!Array.isArray(listed) || listed.length === 0) {
    return { ok: false, problems: ["/tests: expected a list of one or more tests"] };
  }
  const isList = isJsonObject(value) && "tests" in value;
  const rows = listed.map((each: unknown, at) =>
    testOf(each, { place: isList ? `/tests/${at}` : "", at, timeoutMsDefault }),
  );
  const problems = rows.flatMap((row) => (typeof row === "string" ? [row] : []));
  const tests = rows.flatMap((row) => (typeof row === "string" ? [] : [row]));
  const names = tests.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  problems.push(...twice.map((name) => `/tests: two tests have the name ${JSON.stringify(name)}`));
  const { env = [], ...others } = configOf(value);
  const environment = environmentOf(env);
  if (environment === undefined) {
    problems.push('/config/env: expected a list of {"key": TEXT, "value": TEXT}');
  }
  if (problems.length > 0 || environment === undefined) return { ok: false, problems };
  return { ok: true, tests, environment, unused: Object.keys(others) };
}

function configOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) && isJsonObject(value["config"]) ? value["config"] : {};
}

function environmentOf(list: unknown): Readonly<Record<string, string>> | undefined {
  if (!Array.isArray(list)) return undefined;
  const rows = list.map((each: unknown) => {
    const { key, value } = isJsonObject(each) ? each : {};
    return typeof key === "string" && typeof value === "string" ? ([key, value] as const) : null;
  });
  return rows.includes(null) ? undefined : Object.fromEntries(rows.filter((row) => row !== null));
}

interface TestPlace {
  readonly place: string;
  readonly at: number;
  readonly timeoutMsDefault: number;
}

/** The test, or what is wrong with it. */
function testOf(value: unknown, { place, at, timeoutMsDefault }: TestPlace): JobTest | string {
  if (!isJsonObject(value)) return `${place}: expected an object with an input`;
  const { name = `test ${at + 1}`, timeout = timeoutMsDefault } = value;
  const input = inputIn(value["input"]);
  if (input === undefined)
    return `${place}/input: expected an input for your handler, a JSON object`;
  if (typeof name !== "string") return `${place}/name: expected a text`;
  if (typeof timeout !== "number" || !(timeout > 0)) {
    return `${place}/timeout: expected a number of milliseconds over 0`;
  }
  const { expect = "COMPLETED" } = value;
  if (expect !== "COMPLETED" && expect !== "FAILED") {
    return `${place}/expect: expected "COMPLETED" or "FAILED"`;
  }
  return { name, input, timeoutMs: timeout, expectsFailure: expect === "FAILED" };
}

/** The input itself, also where it stands in a whole body. */
function inputIn(value: unknown): JobTest["input"] | undefined {
  if (!isJsonObject(value)) return undefined;
  const { input } = value;
  const isBody =
    isJsonObject(input) && Object.keys(value).every((name) => submissionMembers.has(name));
  return isBody ? input : value;
}
