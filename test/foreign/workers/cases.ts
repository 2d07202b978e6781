import type { JobTest } from "../../../harness/inputs/tests-file.ts";
import type { RequirementId } from "../../../openapi/requirements.ts";

/** A handler of handlers.py, and what its worker is found to break. */
export interface WorkerCase {
  readonly name: string;
  readonly breaks: readonly RequirementId[];
  /** What it may break as well, as chance has it. */
  readonly alsoBreaks?: readonly RequirementId[];
  readonly tests?: readonly JobTest[];
  /** A part of the sentence that tells the cause. */
  readonly says?: RegExp;
}

export function jobTest(name: string, prompt: string, more: Partial<JobTest> = {}): JobTest {
  const input = { prompt, steps: 2 };
  return { name, input, timeoutMs: 60_000, expectsFailure: false, ...more };
}

/** What a handler is tried with where nothing else is said. */
export const usualTests: readonly JobTest[] = [
  jobTest("three", "three words here"),
  jobTest("two", "two words"),
];

const one = [jobTest("one", "one")];
const short = [jobTest("one", "one", { timeoutMs: 3_000 })];
const slow = [jobTest("slow", "slow words", { timeoutMs: 15_000 })];
const failing = jobTest("fails", "one fail two", { expectsFailure: true });

/** Faulty handlers, at least one for each entry that a handler can break. */
export const faultyHandlers: readonly WorkerCase[] = [
  { name: "never_asks", breaks: ["WORK-01"], says: /asked for none/ },
  { name: "ends_at_once", breaks: ["WORK-01"], says: /has to call runpod.serverless.start/ },
  { name: "lacks_a_package", breaks: ["WORK-01"], says: /pip install no_such_package/ },
  { name: "returns_set", breaks: ["WORK-10", "WORK-11"], tests: one, says: /type set.*list\(/ },
  {
    name: "returns_date",
    breaks: ["WORK-10", "WORK-11"],
    tests: one,
    says: /type datetime.*isoformat/,
  },
  { name: "returns_bytes", breaks: ["WORK-10", "WORK-11"], tests: one, says: /type bytes.*base64/ },
  { name: "returns_nan", breaks: ["WORK-10", "WORK-11"], tests: one, says: /NaN at/ },
  { name: "returns_25_mb", breaks: ["WORK-10", "WORK-11"], tests: one, says: /23\.8 MiB/ },
  { name: "returns_object", breaks: ["WORK-10", "WORK-11"], tests: one, says: /type Answer/ },
  { name: "returns_circle", breaks: ["WORK-10", "WORK-11"], tests: one, says: /circular/ },
  { name: "returns_tuple_keys", breaks: ["WORK-10", "WORK-11"], tests: one, says: /tuple/ },
  { name: "returns_half_a_pair", breaks: ["WORK-10", "WORK-11"], tests: one, says: /surrogate/ },
  { name: "returns_coroutine", breaks: ["WORK-10", "WORK-11"], tests: one, says: /coroutine/ },
  {
    name: "returns_set_beside_others",
    breaks: ["WORK-10", "WORK-11"],
    tests: one,
    says: /type set/,
  },
  { name: "tells_status_error", breaks: ["WORK-21"], says: /"status": error/ },
  { name: "returns_traceback", breaks: ["WORK-21"], says: /a traceback/ },
  { name: "returns_failed_status", breaks: ["WORK-21"], says: /"status": failed/ },
  { name: "exits", breaks: ["WORK-02", "WORK-10"], tests: one, says: /exit code 3/ },
  { name: "exits_on_bad_input", breaks: ["WORK-02", "WORK-20"], says: /exit code 4/ },
  { name: "is_killed", breaks: ["WORK-02", "WORK-10"], tests: one, says: /SIGKILL.*out of memory/ },
  { name: "leaves_by_sys_exit", breaks: ["WORK-02", "WORK-10"], tests: one, says: /exit code 1/ },
  {
    name: "ends_after_its_job",
    breaks: ["WORK-02"],
    alsoBreaks: ["WORK-12", "WORK-22"],
    tests: one,
    says: /exit code 0/,
  },
  { name: "works_once", breaks: ["WORK-12"], says: /already taken/ },
  { name: "leaves_a_file", breaks: ["WORK-12"], says: /File exists/ },
  { name: "mixes_results", breaks: ["WORK-13"], says: /its own input/ },
  { name: "keeps_its_lock", breaks: ["WORK-12", "WORK-22"], tests: short },
  { name: "is_broken_by_a_failure", breaks: ["WORK-12"], says: /the context is lost/ },
  { name: "hangs_on_bad_input", breaks: ["WORK-20"], tests: short, says: /no result after 3/ },
  { name: "swallows_its_error", breaks: ["WORK-20"], says: /without a result/ },
  { name: "returns_an_empty_error", breaks: ["WORK-20"], says: /without a result/ },
  { name: "shows_its_token", breaks: ["WORK-23"], says: /MODEL_TOKEN/ },
  { name: "returns_its_environment", breaks: ["WORK-23"], tests: one, says: /MODEL_TOKEN/ },
  { name: "is_too_slow", breaks: ["WORK-10"], tests: short, says: /no result after 3/ },
  {
    name: "always_fails",
    breaks: ["WORK-10"],
    tests: one,
    says: /no such model.*"expect": "FAILED"/,
  },
  { name: "stays_when_stopped", breaks: ["WORK-30"], tests: slow },
  { name: "pings_nothing", breaks: ["WORK-32"], tests: slow, says: /__main__/ },
  { name: "stays_after_sigterm", breaks: ["WORK-33"], tests: one, says: /still runs/ },
  { name: "yields_set", breaks: ["WORK-40"], says: /type set/ },
  { name: "yields_bytes", breaks: ["WORK-10", "WORK-11"], says: /type bytes/ },
  { name: "yields_25_mb", breaks: ["WORK-40"], tests: one, says: /23\.8 MiB/ },
  { name: "yields_its_error", breaks: ["WORK-10", "WORK-42"], tests: [...usualTests, failing] },
  { name: "keeps_memory", breaks: ["WORK-50"], tests: one, says: /MB more/ },
];

/** Right handlers of as many kinds: nothing of them is told to be broken. */
export const rightHandlers: readonly WorkerCase[] = [
  ...[
    "plain",
    "returns_a_list",
    "returns_a_text",
    "returns_nothing",
    "validates",
    "tells_progress",
    "waits",
    "yields",
    "beside_others",
    "is_started_anew",
    "is_chatty",
    "works_in_threads",
    "asks_a_subprocess",
    "has_an_event_loop",
    "returns_5_mb",
    "starts_slowly",
    "caches_much",
  ].map((name) => ({ name, breaks: [] })),
  { name: "yields_all", breaks: [], tests: [...usualTests, failing] },
  { name: "works_for_long", breaks: [], tests: slow },
  { name: "can_be_stopped", breaks: [], tests: slow },
];
