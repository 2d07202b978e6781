import { Inconclusive } from "./undecided.ts";
import type { Tally } from "./tally.ts";

/** Requests that got no answer are the harness's or the network's: they decide nothing. */
export function demandAnswers(...tallies: readonly Tally[]): void {
  const lost = tallies.flatMap(({ shots }) => shots.filter(({ failure }) => failure !== undefined));
  const [first] = lost;
  if (first === undefined) return;
  throw new Inconclusive(`${String(lost.length)} requests got no answer: ${first.failure ?? ""}`);
}
