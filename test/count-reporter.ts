import type { Reporter, TestCase } from "vitest/node";

/** Ends the output of vitest with one plain line, `N passed, N failed`. */
export default class CountReporter implements Reporter {
  #passed = 0;
  #failed = 0;

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === "passed") this.#passed += 1;
    if (state === "failed") this.#failed += 1;
  }

  onTestRunEnd(
    modules: Parameters<NonNullable<Reporter["onTestRunEnd"]>>[0],
    errors: readonly unknown[],
  ): void {
    // Modules that could not be loaded and errors outside of any test are failures, too.
    const broken = modules.flatMap((module) => [
      ...module.errors(),
      ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
    ]);
    const failed = this.#failed + broken.length + errors.length;
    process.stdout.write(`${this.#passed} passed, ${failed} failed\n`);
  }
}
