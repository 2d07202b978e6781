import type { Exchange } from "../../client/exchange.ts";
import type { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import { learnCancelledGone, learnCancelledOutput } from "./cancel.ts";
import type { Discovery } from "./discovery.ts";
import { learnEmptyStreams } from "./streams.ts";
import { learnRandomFailures } from "./failing.ts";
import { learnIgnoredTimeouts, learnIgnoredTtl } from "./ignored-limits.ts";
import { learnKeptWorkers } from "./kept-workers.ts";
import { learnRetriedElsewhere, learnSharedJobs } from "./other-jobs.ts";
import { learnRunWaits, learnHeld, learnNoWait, learnWaitOver } from "./waits.ts";
import { learnUnansweredBodies } from "./unanswered-bodies.ts";
import { learnWorkedQueued } from "./states-never-shown.ts";

type Learner = (discovery: Discovery, exchange: Exchange, dialect: ConfiguredDialect) => void;

/** What is learned from the times and the states of jobs, where the clock is everybody's. */
const learners: readonly Learner[] = [
  learnWorkedQueued,
  learnIgnoredTimeouts,
  learnIgnoredTtl,
  learnKeptWorkers,
  learnRandomFailures,
  learnHeld,
  learnWaitOver,
  learnNoWait,
  learnRunWaits,
  learnCancelledGone,
  learnCancelledOutput,
  learnEmptyStreams,
  learnUnansweredBodies,
];

/**
 * Learns from an exchange of a check, in the specification's terms.
 * @returns why nothing that follows this exchange would tell; undefined where it may
 */
export function learnOnRealClock(...seen: Parameters<Learner>): string | undefined {
  for (const learn of learners) learn(...seen);
  const [discovery, exchange] = seen;
  return learnRetriedElsewhere(discovery, exchange) ?? learnSharedJobs(discovery, exchange);
}
