/**
 * The contract suite as vitest tests, one a check, for a project's own test run: `queueproof/vitest`.
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

/** What is asked of the server, and what to do with what was found. */
export interface ContractSuiteOptions extends Pick<ContractOptions, "only" | "skip"> {
  /** The server to check and how; called before the first test, so that it can start the server. */
  readonly target: () => Promise<Omit<ContractOptions, "only" | "skip" | "onResult" | "signal">>;
  /** Called with what the whole run found, to write a report; the server may be stopped here. */
  readonly onEnd?: (outcome: ContractOutcome) => Promise<void> | void;
  /** The report.json that `onEnd` writes, as somebody would type its path: failures then show the line that repeats them. */
  readonly reportPath?: string;
  /** Profiles whose requirements are checked, beside those of `only`; where one is not decided, the run fails. */
  readonly profile?: readonly Profile[];
  /** Requirements that may stay undecided; an undecided check fails otherwise. */
  readonly allowInconclusive?: readonly string[];
}

/**
 * Registers a test for each check of the contract suite. All of them stand on one run, which starts before the first
 * test: a check that fails, or that was tried and not decided, fails its test; one that was not tried is skipped. A run
 * that decided nothing, or whose target went for good, fails as a whole.
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
      // The tests wait for it; that it could not begin fails each of them.
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
      // Tests that are all skipped, also because the target is gone, would be a success.
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

/** Hands each check's results to its test as soon as all of them are there. */
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

  /** What never ended by itself is told by the outcome of the run. */
  end(all: readonly RequirementResult[]): void {
    for (const [name, resolve] of this.#waiting) {
      resolve(all.filter((result) => result.name === name));
    }
  }

  fail(error: unknown): void {
    for (const reject of this.#failing) reject(error);
  }
}
