import type { ReportLoad } from "../../reports/model.ts";
import type { FaultJob } from "./observation.ts";

/** One sentence about what a fault did, with its verdict and the jobs that break it. */
export type Statement = NonNullable<ReportLoad["statements"]>[number];

type Header = Pick<Statement, "id" | "text" | "by">;

/** A job that breaks a sentence, and how; its time is one of the monotonic clock. */
export type StatementBreach = NonNullable<Statement["jobs"]>[number];

const breachesMax = 20;

/** What was looked at for a sentence. */
interface Look {
  readonly breaches: readonly StatementBreach[];
  readonly looked: number;
  /** Why nothing could break it; absent or empty: something could. */
  readonly undecided?: string;
  /** Why nothing was looked at, where nothing was. */
  readonly whyNone?: string;
}

/** The verdict of a sentence: broken by each breach; undecided where nothing could break it. */
export function statementOf(
  header: Header,
  { breaches, looked, undecided = "", whyNone = "no job was there to look at" }: Look,
): Statement {
  const [first] = breaches;
  if (first !== undefined) {
    const others = breaches.length === 1 ? "" : `, and ${breaches.length - 1} more`;
    const jobs = breaches.slice(0, breachesMax);
    const reason = `${first.job} ${first.why}${others}`;
    return { ...header, verdict: "fail", looked, reason, jobs };
  }
  if (undecided !== "") return { ...header, verdict: "inconclusive", looked, reason: undecided };
  if (looked === 0) return notLooked(header, whyNone);
  return { ...header, verdict: "pass", looked };
}

/** A sentence that was not looked at. */
export function notLooked(header: Header, reason: string): Statement {
  return { ...header, verdict: "not-run", looked: 0, reason };
}

/** A job that breaks a sentence. */
export function breachOf(job: FaultJob, why: string): StatementBreach {
  return { job: nameOf(job), why, sentMs: job.sentMs };
}

/** A job as a breach names it. */
function nameOf({ id, number, role }: FaultJob): string {
  const what = role === "mix" ? "" : ` (${role})`;
  return `${id ?? `submission ${number}`}${what}`;
}
