/**
 * Runs the contract suite in a project's own test run, one vitest test for each check: `queueproof/vitest`.
 * @packageDocumentation
 */
import { afterAll, beforeAll, describe, test } from "vitest";

import { checks } from "../contracts/checks.ts";
import type { RequirementResult } from "../harness/judge.ts";
import { createDeferred } from "../harness/deferred.ts";
import type { Deferred } from "../harness/deferred.ts";
import { selectChecks, selectRequirements } from "../harness/select.ts";
import type { Check } from "../harness/check.ts";
import { idsOfProfile } from "../openapi/requirements.ts";
import type { Profile } from "../openapi/profiles.ts";
import { isUntested } from "../reports/verdicts.ts";
import { repeatLine } from "../reports/repeat-line.ts";
import { undecidedProfiles } from "../reports/profiles.ts";
import { verdictSentence } from "../reports/sentence.ts";
import type { ReportRequirement } from "../reports/model.ts";
import { createReport, runContract } from "./run-contract.ts";
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
      run.catch(() => undefined);
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
        const results = await found.of(check, run);
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

/** Collects the results of a run, and tells when all of a check have arrived. */
class FoundResults {
  readonly #missing: Map<string, number>;
  readonly #results: RequirementResult[] = [];
  readonly #arrived: ReadonlyMap<string, Deferred>;

  constructor(selected: readonly Check[]) {
    this.#missing = new Map(selected.map(({ name, covers }) => [name, covers.length]));
    this.#arrived = new Map(selected.map(({ name }) => [name, createDeferred()]));
  }

  readonly add = (result: RequirementResult): void => {
    const { name } = result;
    this.#results.push(result);
    const missing = (this.#missing.get(name) ?? 0) - 1;
    this.#missing.set(name, missing);
    if (missing === 0) this.#arrived.get(name)?.resolve();
  };

  /** Returns a check's results when all of them have arrived, at the latest when the run ends. */
  async of(
    { name }: Check,
    run: Promise<ContractOutcome> | undefined,
  ): Promise<readonly RequirementResult[]> {
    if (run === undefined) throw new Error("the run has not begun");
    const ended = await Promise.race([this.#arrived.get(name)?.promise, run]);
    return (ended?.results ?? this.#results).filter((result) => result.name === name);
  }
}
