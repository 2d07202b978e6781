/** One input that people have already, to try their handler with. */
export interface JobTest {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** How long its job may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** The tests of a file, or every problem of it, one line each. */
export type ParsedTests =
  | { readonly ok: true; readonly tests: readonly JobTest[] }
  | { readonly ok: false; readonly problems: readonly string[] };

const timeoutMsDefault = 60_000;
const submissionMembers: ReadonlySet<string> = new Set(["input", "webhook", "policy", "s3Config"]);

/** Whether a file is one of tests, `test_input.json` or `.runpod/tests.json`, and no jobs file. */
export function isTestsFile(value: unknown): boolean {
  return isObject(value) && ("tests" in value || "input" in value);
}

/**
 * Reads `test_input.json`, which is a body of run, or `.runpod/tests.json`, a list of named tests whose `input` is the
 * input or a whole body.
 */
export function parseTests(value: unknown): ParsedTests {
  const listed = isObject(value) ? (value["tests"] ?? [value]) : undefined;
  if (!Array.isArray(listed) || listed.length === 0) {
    return { ok: false, problems: ["/tests: expected a list of one or more tests"] };
  }
  const isList = isObject(value) && "tests" in value;
  const rows = listed.map((each: unknown, at) => testOf(each, isList ? `/tests/${at}` : "", at));
  const problems = rows.flatMap((row) => (typeof row === "string" ? [row] : []));
  const tests = rows.flatMap((row) => (typeof row === "string" ? [] : [row]));
  const names = tests.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  problems.push(...twice.map((name) => `/tests: two tests have the name ${JSON.stringify(name)}`));
  return problems.length > 0 ? { ok: false, problems } : { ok: true, tests };
}

/** The test, or what is wrong with it. */
function testOf(value: unknown, place: string, at: number): JobTest | string {
  if (!isObject(value)) return `${place}: expected an object with an input`;
  const { name = `test ${at + 1}`, timeout = timeoutMsDefault } = value;
  const input = inputIn(value["input"]);
  if (input === undefined)
    return `${place}/input: expected an input for your handler, a JSON object`;
  if (typeof name !== "string") return `${place}/name: expected a text`;
  if (typeof timeout !== "number" || !(timeout > 0)) {
    return `${place}/timeout: expected a number of milliseconds over 0`;
  }
  return { name, input, timeoutMs: timeout };
}

/** The input itself, also where it stands in a whole body. */
function inputIn(value: unknown): JobTest["input"] | undefined {
  if (!isObject(value)) return undefined;
  const { input } = value;
  const isBody = isObject(input) && Object.keys(value).every((name) => submissionMembers.has(name));
  return isBody ? input : value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
