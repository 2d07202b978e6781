import type { Exchange } from "../../client/exchange.ts";
import type { FoundMismatch } from "../expect.ts";
import { recordShownBy } from "../record.ts";
import { Hook } from "../webhooks/hook.ts";

/**
 * The exchange that shows a difference: the one that was compared directly; for a webhook, the submission that named
 * it; otherwise, of those seen before, the last one about the job or the operation that the difference names, or the
 * last one whose answer contains what was got, or simply the last.
 */
export function failingExchange(
  { at, expected, got, compared, seenLast }: FoundMismatch,
  exchanges: readonly Exchange[],
): Exchange | undefined {
  if (compared !== undefined) return compared;
  if (seenLast instanceof Hook) return exchanges.find((each) => isSubmissionOf(each, seenLast));
  const before = exchanges.slice(0, exchanges.findIndex((each) => each === seenLast) + 1);
  const told = `${at} ${expected} ${got}`;
  const [named = ""] = at.split(/[ /:,]/u, 1);
  return (
    before.findLast((each) => told.includes(jobOf(each) ?? unnamed)) ??
    before.findLast(({ operation }) => operation === named) ??
    before.findLast(({ answer }) => answer?.rawText().includes(`"${got}"`) === true) ??
    before.at(-1)
  );
}

/** Occurs in no text. */
const unnamed = "\u0000";

function isSubmissionOf({ request }: Exchange, { url }: Hook): boolean {
  // Only the last segment: the path before it may be a secret of the receiver's owner.
  return request.body?.includes(url.slice(url.lastIndexOf("/") + 1)) === true;
}

/** The job that an exchange is about: the one that its path names, or that it submitted. */
export function jobOf(exchange: Exchange): string | undefined {
  return exchange.request.jobId ?? givenJobId(exchange);
}

/** The id of a job that a submission made known. */
export function givenJobId(exchange: Exchange): string | undefined {
  if (exchange.operation !== "run" && exchange.operation !== "runsync") return undefined;
  return recordShownBy(exchange)?.id;
}

/** Puts the failing exchanges and all others of the same jobs first, each part in the order it was recorded. */
export function failingFirst(
  exchanges: readonly Exchange[],
  failing: readonly Exchange[],
): readonly Exchange[] {
  if (failing.length === 0) return exchanges;
  const jobs = new Set(failing.map(jobOf).filter((id) => id !== undefined));
  const isOfFailing = (each: Exchange): boolean =>
    failing.includes(each) || jobs.has(jobOf(each) ?? "");
  return [
    ...exchanges.filter((each) => isOfFailing(each)),
    ...exchanges.filter((each) => !isOfFailing(each)),
  ];
}
