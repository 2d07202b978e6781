/**
 * Runs the contract suite in a project's own test run, one vitest test for each check: `queueproof/vitest`.
 * @packageDocumentation
 */
import { afterAll, beforeAll, describe, test } from "vitest";

import { checks } from "../contracts/checks.ts";
import type { RequirementResult } from "../harness/judge.ts";
import { selectChecks, selectRequirements } from "../harness/select.ts";
import type { Check } from "../harness/check.ts";
import { idsOfProfile } from "../openapi/index.ts";
import type { Profile } from "../openapi/index.ts";
import { isUntested, repeatLine, undecidedProfiles, verdictSentence } from "../reports/index.ts";
import type { ReportRequirement } from "../reports/index.ts";
import { createReport } from "./create-report.ts";
import { runContract } from "./run-contract.ts";
import type { ContractOptions, ContractOutcome } from "./run-contract.ts";

/** Which server and requirements to check, and what to do with the result. */
export interface ContractSuiteOptions extends Pick<ContractOptions, "only" | "skip"> {
  /** Returns the server to check; called before the first test, so that it can start the server. */
  readonly target: () => Promise<Omit<ContractOptions, "only" | "skip" | "onResult" | "signal">>;
  /** Called with the result of the whole run, for example to write a report. It may stop the server. */
  readonly onEnd?: (outcome: ContractOutcome) => Promise<void> | void;
  /** Path of the report.json that `onEnd` writes, as a user would type it: failures then show how to repeat them. */
  readonly reportPath?: string;
  /** Profiles to check in addition to `only`; the run fails where one of them is not decided. */
  readonly profile?: readonly Profile[];
  /** Requirements that may stay undecided. An undecided check of any other requirement fails. */
  readonly allowInconclusive?: readonly string[];
}

/**
 * Registers a test for each check of the contract suite. All tests share one run, which starts before the first test.
 * A check that fails, or that was tried and not decided, fails its test; a check that was not tried is skipped. The
 * whole suite fails where the run decided nothing, or where the target stopped answering for good.
 */
export function contractSuite({
  target,
  onEnd,
  only: named = [],
  profile = [],
  skip = [],
  allowInconclusive = [],
  reportPath,
}: ContractSuiteOptions): void {
  const only = [...named, ...profile.flatMap(idsOfProfile)];
  const selected = selectChecks(checks, selectRequirements(only, skip));
  const found = new FoundResults(selected);
  const allowed: ReadonlySet<string> = selectRequirements(allowInconclusive, []);
  const mayStayOpen = ({ covers }: { readonly covers: readonly string[] }): boolean =>
    allowInconclusive.length > 0 && covers.every((id) => allowed.has(id));
  const mayEntryStayOpen = ({ id, verdict }: ReportRequirement): boolean =>
    verdict === "inconclusive" && mayStayOpen({ covers: [id] });
  const stop = new AbortController();
  let run: Promise<ContractOutcome> | undefined;

  describe("contract", () => {
    beforeAll(async () => {
      const options = await target();
      run = runContract({ ...options, only, skip, onResult: found.add, signal: stop.signal });
      // The tests wait for the run; where it cannot begin, each of them fails.
      run.then(
        (outcome) => found.end(outcome.results),
        (error: unknown) => found.fail(error),
      );
    });
    afterAll(async () => {
      stop.abort();
      const outcome = await run;
      if (outcome === undefined) return;
      await onEnd?.(outcome);
      // vitest counts tests that are all skipped as a success, also where they are skipped because the target is gone.
      const report = createReport(outcome);
      if (isUntested(report)) throw new Error(verdictSentence(report));
      const [open] = undecidedProfiles(report, profile, mayEntryStayOpen);
      if (open !== undefined) throw new Error(open);
    });
    for (const check of selected) {
      test.concurrent(check.name, { timeout: 0 }, async ({ skip: leaveOut }) => {
        const results = await found.of(check);
        const wrong = results.filter(
          (result) =>
            result.verdict === "fail" ||
            (result.verdict === "inconclusive" && !mayStayOpen(result)),
        );
        if (wrong.length > 0)
          throw new Error(wrong.map((each) => describeWrong(each, reportPath)).join("\n"));
        const open = results.find(({ verdict }) => verdict !== "pass");
        if (open !== undefined) leaveOut(describeResult(open));
      });
    }
  });
}

function describeWrong(result: RequirementResult, reportPath: string | undefined): string {
  const [id] = result.covers;
  if (reportPath === undefined || id === undefined) return describeResult(result);
  return `${describeResult(result)}\nrepeat: ${repeatLine(reportPath, id)}`;
}

function describeResult({ covers, verdict, reason = "" }: RequirementResult): string {
  const told = verdict === "inconclusive" ? "tried and not decided: " : "";
  return `${covers.join(", ")} ${told}${reason}`;
}

/** Gives each check's results to its test as soon as all of them have arrived. */
class FoundResults {
  readonly #waiting = new Map<string, (results: readonly RequirementResult[]) => void>();
  readonly #failing: ((error: unknown) => void)[] = [];
  readonly #results = new Map<string, RequirementResult[]>();
  readonly #promises = new Map<string, Promise<readonly RequirementResult[]>>();
  readonly #coverCounts: ReadonlyMap<string, number>;

  constructor(selected: readonly Check[]) {
    this.#coverCounts = new Map(selected.map(({ name, covers }) => [name, covers.length]));
    for (const { name } of selected) {
      const promise = new Promise<readonly RequirementResult[]>((resolve, reject) => {
        this.#waiting.set(name, resolve);
        this.#failing.push(reject);
      });
      promise.catch(() => undefined);
      this.#promises.set(name, promise);
    }
  }

  of({ name }: Check): Promise<readonly RequirementResult[]> {
    return this.#promises.get(name) ?? Promise.resolve([]);
  }

  readonly add = (result: RequirementResult): void => {
    const results = this.#results.get(result.name) ?? [];
    this.#results.set(result.name, results);
    results.push(result);
    if (results.length === this.#coverCounts.get(result.name)) {
      this.#waiting.get(result.name)?.(results);
    }
  };

  /** Gives the tests that still wait their results from the outcome of the run. */
  end(all: readonly RequirementResult[]): void {
    for (const [name, resolve] of this.#waiting) {
      resolve(all.filter((result) => result.name === name));
    }
  }

  fail(error: unknown): void {
    for (const reject of this.#failing) reject(error);
  }
}
