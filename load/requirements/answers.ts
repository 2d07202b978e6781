import { Inconclusive } from "../../harness/outcome.ts";
import type { ProbeExchange } from "../probe/connection.ts";
import type { LoadFindings } from "./findings.ts";
import type { Tally } from "./tally.ts";

/** @throws Inconclusive where a request got no answer: that may be the harness or the network. */
export function requireAnswers(...tallies: readonly Tally[]): void {
  const lost = lostReason(tallies.flatMap(({ exchanges }) => exchanges));
  if (lost !== undefined) throw new Inconclusive(lost);
}

/** How many requests got no answer, and why the first of them; undefined where none is lost. */
export function lostReason(exchanges: readonly ProbeExchange[]): string | undefined {
  const lost = exchanges.filter(({ failure }) => failure !== undefined);
  const [first] = lost;
  return first && `${lost.length} requests got no answer: ${first.failure ?? ""}`;
}

/**
 * Expects that none of the requests was refused.
 * @throws Inconclusive where one got no answer.
 */
export function expectAccepted(findings: LoadFindings, at: string, sent: Tally): void {
  requireAnswers(sent);
  findings.equal(at, "accepted", sent.refused === 0 ? "accepted" : sent.words, sent.samples);
}

/** Undefined where the attempt is Inconclusive, such as where run refused a needed job: run's own check tells of it. */
export async function unlessInconclusive<T>(attempt: Promise<T>): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof Inconclusive) return undefined;
    throw error;
  }
}

/** @throws Inconclusive where any is given: these are the submissions that were not accepted. */
export function requireAllAccepted([first]: readonly ProbeExchange[]): void {
  if (first === undefined) return;
  const got = first.failure ?? String(first.answer?.status);
  throw new Inconclusive(`run did not accept a job this check needs: ${got}`);
}

/** @throws Inconclusive where connections could not be opened. */
export async function requireConnections<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Inconclusive(`the connections could not be opened: ${why}`);
  }
}
