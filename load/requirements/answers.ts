import { Inconclusive } from "../../harness/outcome.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import type { Tally } from "./tally.ts";

/** Requests that got no answer are the harness's or the network's: they decide nothing. */
export function demandAnswers(...tallies: readonly Tally[]): void {
  const lost = tallies.flatMap(({ exchanges }) =>
    exchanges.filter(({ failure }) => failure !== undefined),
  );
  const [first] = lost;
  if (first === undefined) return;
  throw new Inconclusive(`${String(lost.length)} requests got no answer: ${first.failure ?? ""}`);
}

/** What a request needs first may be refused, too: then run, tried by itself, tells of it. */
export async function unlessInconclusive<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof Inconclusive) return undefined;
    throw error;
  }
}

/** @throws Inconclusive where there is a submission that was not accepted. */
export function demandNone([first]: readonly ProbeExchange[]): void {
  if (first === undefined) return;
  const got = first.failure ?? String(first.answer?.status);
  throw new Inconclusive(`run did not accept a job this check needs: ${got}`);
}

/** @throws Inconclusive where connections could not be opened. */
export async function connected<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Inconclusive(`the connections could not be opened: ${why}`);
  }
}
