import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { INSTRUMENTER_CONSTANTS } from "@stryker-mutator/api/core";
import type { InstrumenterContext, StrykerOptions } from "@stryker-mutator/api/core";
import { PluginKind, commonTokens, declareClassPlugin, tokens } from "@stryker-mutator/api/plugin";
import { DryRunStatus, MutantRunStatus, TestStatus } from "@stryker-mutator/api/test-runner";
import type {
  DryRunResult,
  MutantRunOptions,
  MutantRunResult,
  TestResult,
  TestRunner,
} from "@stryker-mutator/api/test-runner";

import type * as Suite from "../kill-matrix/run-suite.ts";
import type { Finding, SuiteRun } from "../kill-matrix/suite-job.ts";
import { isOfLoad, isRequirementId, requirementIds } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";

/** The files that decide what is limited and how, or that free what a request held. */
const producesLimits = /(limit|http|behaviour\/\*)[^/]*$/;

/** The requirements whose checks take seconds in process. */
const heavyIds: ReadonlySet<string> = new Set<RequirementId>([
  "RATE-01",
  "RATE-02",
  "RATE-03",
  "RATE-04",
  "RATE-07",
  "RATE-09",
  "RATE-10",
  "RATE-11",
  "RATE-12",
  "CONC-08",
]);

/** How many of the requirements that found the last mutants are checked first, by themselves. */
const recentMax = 3;

/**
 * Runs the suite in this process against the embedded reference whose code holds the mutants. A test is a requirement:
 * all the checks that cover it.
 */
class SuiteRunner implements TestRunner {
  static readonly inject = tokens(commonTokens.options);
  /** The mutated code reads here which mutant is switched on, and counts here which were run. */
  readonly #context: InstrumenterContext = {};
  #runSuite: typeof Suite.runSuite | undefined;
  /** For each file, the requirements that found its mutants last. */
  readonly #recent = new Map<string, readonly RequirementId[]>();

  readonly #mutate: readonly string[];

  constructor({ mutate }: StrykerOptions) {
    this.#mutate = mutate;
  }

  /** Node keeps loaded modules, so a mutant in what happens while they load takes a new process. */
  capabilities(): { reloadEnvironment: boolean } {
    return { reloadEnvironment: false };
  }

  init(): Promise<void> {
    Object.defineProperty(globalThis, INSTRUMENTER_CONSTANTS.NAMESPACE, { value: this.#context });
    return Promise.resolve();
  }

  async dryRun(): Promise<DryRunResult> {
    // Code that runs while modules load belongs to no test.
    await this.#load();
    const tests: TestResult[] = [];
    // For files that decide no limit, only the cheap load requirements are run.
    const isOfLimits = this.#mutate.some((pattern) => producesLimits.test(pattern));
    for (const id of requirementIds) {
      if (heavyIds.has(id) && !isOfLimits) continue;
      this.#context.currentTestId = id;
      const begunMs = performance.now();
      const why = whyNotPassed(await this.#run([id]));
      const test = { id, name: id, timeSpentMs: Math.round(performance.now() - begunMs) };
      tests.push(
        why === undefined
          ? { ...test, status: TestStatus.Success }
          : { ...test, status: TestStatus.Failed, failureMessage: why.message },
      );
    }
    const { mutantCoverage } = this.#context;
    return {
      status: DryRunStatus.Complete,
      tests,
      ...(mutantCoverage !== undefined && { mutantCoverage }),
    };
  }

  async mutantRun({
    testFilter,
    activeMutant,
    mutantActivation,
    hitLimit,
  }: MutantRunOptions): Promise<MutantRunResult> {
    const context = this.#context;
    context.hitCount = 0;
    if (hitLimit === undefined) delete context.hitLimit;
    else context.hitLimit = hitLimit;
    if (mutantActivation === "static") context.activeMutant = activeMutant.id;
    await this.#load();
    context.activeMutant = activeMutant.id;
    const { fileName } = activeMutant;
    const wanted = requirementIds.filter((id) => testFilter?.includes(id) ?? true);
    for (const part of this.#inOrder(wanted, fileName)) {
      context.hitCount = 0;
      const why = whyNotPassed(await this.#run(part, true));
      if (why === undefined) continue;
      const { killedBy, message } = why;
      const telling = part.filter((id) => (killedBy[0] ?? part[0]) === id);
      const mutant = { id: activeMutant.id, activation: mutantActivation };
      if (!(await this.#confirms(telling, mutant))) continue;
      this.#note(killedBy, fileName);
      return {
        status: MutantRunStatus.Killed,
        killedBy: killedBy.length === 0 ? [part[0] ?? ""] : killedBy,
        failureMessage: message,
        nrOfTests: part.length,
      };
    }
    return { status: MutantRunStatus.Survived, nrOfTests: wanted.length };
  }

  /**
   * Whether the checks that found a mutant find it again, and find nothing without it. False where a machine that was
   * too busy made them find something before.
   * @throws Error where they find something without it: an earlier mutant has left this process unfit
   */
  async #confirms(
    ids: readonly RequirementId[],
    { id, activation }: { readonly id: string; readonly activation: "static" | "runtime" },
  ): Promise<boolean> {
    const context = this.#context;
    if (activation === "runtime") {
      delete context.activeMutant;
      const without = whyNotPassed(await this.#run(ids, true));
      if (without !== undefined) throw new Error(`found without a mutant: ${without.message}`);
    }
    context.activeMutant = id;
    context.hitCount = 0;
    return whyNotPassed(await this.#run(ids, true)) !== undefined;
  }

  /**
   * Puts first what has just found mutants of the file, since neighbours are alike; then the contract; then load. Load
   * checks that send thousands of requests are kept only for files that produce their answers.
   */
  #inOrder(ids: readonly RequirementId[], fileName: string): readonly RequirementId[][] {
    const contract = ids.filter((id) => !isOfLoad(id));
    const recent = (this.#recent.get(fileName) ?? []).filter((id) => contract.includes(id));
    const light = ids.filter((id) => isOfLoad(id) && !heavyIds.has(id));
    const isOfLimits = contract.length + light.length === 0 || producesLimits.test(fileName);
    const heavy = ids.filter((id) => isOfLimits && heavyIds.has(id));
    const contractFirst = [recent, contract, light, heavy];
    // Almost no requirement of the contract concerns limits.
    const loadFirst = [recent, light, contract, heavy];
    const parts = /limit[^/]*$/.test(fileName) ? loadFirst : contractFirst;
    return parts.filter((part) => part.length > 0);
  }

  #note(killedBy: readonly string[], fileName: string): void {
    const ids = killedBy.filter((id) => isRequirementId(id) && !isOfLoad(id)).slice(0, 2);
    const before = this.#recent.get(fileName) ?? [];
    const recent = [...new Set([...ids.filter((id) => isRequirementId(id)), ...before])];
    this.#recent.set(fileName, recent.slice(0, recentMax));
  }

  async #run(only: readonly RequirementId[], failFast = false): Promise<SuiteRun> {
    const runSuite = await this.#load();
    return runSuite({ kind: "clean", delayMs: 0, requirements: only, failFast });
  }

  /** Loads the suite and the mutated reference of the sandbox in which this process works. */
  async #load(): Promise<typeof Suite.runSuite> {
    if (this.#runSuite === undefined) {
      const path = resolve("dist/proof/kill-matrix/run-suite.js");
      // oxlint-disable-next-line typescript/no-unsafe-assignment -- its path is known only when it runs
      const suite: typeof Suite = await import(pathToFileURL(path).href);
      this.#runSuite = suite.runSuite;
    }
    return this.#runSuite;
  }
}

interface NotPassed {
  readonly killedBy: string[];
  readonly message: string;
}

/** Why a run is not a pass; `undefined` where it is one. */
function whyNotPassed({ failed, findings }: SuiteRun): NotPassed | undefined {
  if (failed !== undefined) return { killedBy: [], message: `nothing was decided: ${failed}` };
  const telling = (verdict: Finding["verdict"]): Finding[] =>
    findings.filter((finding) => finding.verdict === verdict);
  const worst = [telling("fail"), telling("inconclusive")].find((some) => some.length > 0);
  const [first] = worst ?? [];
  if (worst === undefined || first === undefined) return undefined;
  const { requirement, verdict, check, reason = "" } = first;
  return {
    killedBy: [...new Set(worst.map((finding) => finding.requirement))],
    message: `${requirement} ${verdict}, ${check}: ${reason}`,
  };
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "suite", SuiteRunner)];
