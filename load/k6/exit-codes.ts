/** What k6 says by its exit code, the same in 1.8 and 2.x. */
const meanings: ReadonlyMap<number, string> = new Map([
  [0, "it ran to its end"],
  [99, "a threshold of the script was crossed"],
  [100, "the script's setup took too long"],
  [101, "the script's teardown took too long"],
  [102, "it took too long to stop"],
  [104, "the options are not valid"],
  [105, "it was stopped from outside"],
  [106, "its REST port could not be opened"],
  [107, "the script could not be loaded, or broke in its setup"],
  [108, "the script stopped the test"],
  [109, "k6 itself broke"],
  [110, "the script marked the test as failed"],
]);

const thresholdCrossed = 99;

export function meaningOfExit(code: number | null): string {
  if (code === null) return "it was killed";
  return meanings.get(code) ?? `it ended with the unknown code ${code}`;
}

/**
 * Whether k6 came to the end of its scenarios, so that its counts are whole. A crossed threshold is
 * an end too. The counts may still be worth nothing: a script that throws in each of its iterations
 * ends with 0.
 */
export function isWholeRun(code: number | null): boolean {
  return code === 0 || code === thresholdCrossed;
}
