import type { Exchange } from "../../client/exchange.ts";
import type { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import { learnCancelledGone } from "./cancelled-jobs.ts";
import { learnCancelledOutput } from "./cancelled-output.ts";
import type { Discovery } from "./discovery.ts";
import { learnEmptyStreams } from "./empty-streams.ts";
import { learnRandomFailures } from "./failing.ts";
import { learnIgnoredTimeouts } from "./ignored-timeouts.ts";
import { learnIgnoredTtl } from "./ignored-ttl.ts";
import { learnKeptWorkers } from "./kept-workers.ts";
import { learnRunWaits } from "./run-waits.ts";
import { learnHeld, learnNoWait, learnWaitOver } from "./runsync-wait.ts";
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
];

/** Learns from an exchange of a check, in the specification's terms. */
export function learnOnRealClock(...seen: Parameters<Learner>): void {
  for (const learn of learners) learn(...seen);
}
