import type { Exchange } from "../../client/exchange.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { Interval } from "../interval.ts";

/** What a run saw of the states of jobs. */
export class StatesShown {
  /** Every state that a record showed. */
  readonly names = new Set<string>();
  /** The last read that showed a job IN_QUEUE, by its id. */
  readonly queued = new Map<string, Exchange>();
  /** The last answer of health that counted jobs at work, and none that waits. */
  noneWaits?: Exchange;
  /** The reads of jobs that were shown IN_QUEUE while they were at work, by their ids. */
  readonly workedQueued = new Map<string, Exchange>();
  /** The jobs that were submitted since. */
  readonly submittedSince = new Set<string>();
  /** The checks that needed a job in a state, by the state. */
  readonly missedBy = new Map<string, Set<string>>();
}

/** A job that was submitted with an executionTimeout. */
export interface TimedJob {
  readonly timeoutMs: number;
  /** When it was first shown IN_PROGRESS, on this process's clock. */
  startedAtMs?: number;
}

/** A job that was submitted with a ttl. */
export interface ExpiringJob {
  /** When its ttl has run out at the latest, on this process's clock. */
  readonly endsByMs: number;
  readonly ttlMs: number;
  /** Whether it was seen to wait or to be at work after that. */
  isOverdue?: boolean;
}

/** What was seen of jobs whose ttl ran out. */
export class TtlsSeen {
  readonly jobs = new Map<string, ExpiringJob>();
  /** The answers that show a job completed for which its ttl had run out, by its id. */
  readonly completedLate = new Map<string, Exchange>();
  /** Whether a job seems to have been ended by its ttl. */
  isAnyExpired = false;
}

/** What was seen of results that were read more than once, by the job's id. */
export class ResultReads {
  readonly first = new Map<string, Exchange>();
  /** A later read that found no job, and the first one. */
  readonly gone = new Map<string, readonly Exchange[]>();
  succeededAgain = false;
}

/** A job whose handler yields chunks. Its times are on this process's clock. */
export interface YieldingJob {
  readonly submittedAtMs: number;
  endedAtMs?: number;
  /** The last read of its stream. */
  lastRead?: Exchange;
}

/** What was seen of the streams of jobs that yield chunks. */
export class StreamsSeen {
  readonly yielding = new Map<string, YieldingJob>();
  /** The reads that gave no chunk long after the end of their jobs, by the job's id. */
  readonly empty = new Map<string, Exchange>();
  /** Whether any stream gave a chunk. */
  isAnyChunk = false;
}

/** A job of the run, and when what became of it. Times are on this process's clock, in milliseconds. */
export interface SeenJob {
  readonly sentAtMs: number;
  readonly submittedAtMs: number;
  /** When it was last asked and still waited. */
  queuedAtMs: number;
  /** For how long its handler works; 0 where that is not known. */
  readonly workMs: number;
  /** Whether it waits for a free worker alone: one of low priority, or that is retried, may wait for others. */
  readonly isUsual: boolean;
  /** For how long this process had not run when it was submitted. */
  readonly stoppedMs: number;
  begun?: Interval | undefined;
  endedAtMs?: number;
  /** The cancel that was accepted. */
  cancel?: Exchange;
}

/** What a run saw of the work of its jobs. */
export class WorkSeen {
  /** How many workers the target is seen to have. */
  workers = 1;
  /** For how long this process did not run so far, in milliseconds: a server on the same machine did not either. */
  stoppedMs: () => number = () => 0;
  /** Whether a job began while cancelled jobs would have kept every worker if a cancel freed none. */
  isFreedByCancel = false;
  /** How long a job waited to begin beside a free worker, the longest, in milliseconds: a worker may start for it. */
  startsMs = 0;
  readonly jobs = new Map<string, SeenJob>();
  /** When each runsync was sent whose job works for some time, and of which no answer has told, by its request. */
  readonly held = new Map<unknown, number>();
  /** The jobs that waited beside a free worker, each with the cancelled job whose work was done when it began. */
  readonly waited = new Map<SeenJob, SeenJob>();
}

/** What a run saw of its jobs, beyond one answer: what none of them does is how the target is. */
export class SeenOfJobs {
  /** The outputs that echoes have to come to, by the job's id, and whether one came so. */
  readonly echoes = { outputs: new Map<unknown, unknown>(), isAnyPlain: false };
  /** Reads that failed by 500, by what was asked, and those that did not when they were sent again. */
  readonly failedReads = new Map<string, Exchange>();
  readonly recoveredReads: Exchange[] = [];
  /** What was cut off for its size, by the operation. */
  readonly tooLarge = new Map<OperationName, readonly Exchange[]>();
  /** The unfinished jobs that were submitted with an executionTimeout, and the reads of those it did not end. */
  readonly timedJobs = new Map<string, TimedJob>();
  readonly overdue = new Map<string, Exchange>();
  readonly ttls = new TtlsSeen();
  /** What runsync answered at once of unfinished jobs, how often when its wait was over, and whether it awaited a job. */
  readonly unawaited = { answers: [] as Exchange[], waitsHeld: 0, isAnyAwaited: false };
  /** The jobs that cancel answered as CANCELLED, those that status did not know then, and whether any was shown so. */
  readonly cancelled = {
    ids: new Set<string>(),
    gone: new Map<string, Exchange>(),
    isAnyThere: false,
  };
  /** What run answered of jobs that had ended, by their ids, until it answered one that had not. */
  readonly awaited = { answers: new Map<string, Exchange>(), isAnyUnfinished: false };
  readonly work = new WorkSeen();
  readonly streams = new StreamsSeen();
  /** The times that the record of a finished job showed, and the finished jobs whose records had none of that name. */
  readonly timesShown = new Set<string>();
  readonly withoutTime = new Map<string, Set<string>>();
  readonly statesShown = new StatesShown();
  /** The submissions to which no answer came, by the cause that what is wrong with their bodies would be. */
  readonly unanswered = new Map<string, readonly Exchange[]>();
  /** The submission that made each job known, by the job's id, and the ids that a later one answered, too. */
  readonly submissions = new Map<string, Exchange>();
  readonly sharedIds = new Set<string>();
  /** Whether one id was answered to different inputs. */
  hasMixedId = false;
  readonly resultReads = new ResultReads();

  /** Has to be called where the target went away and came back: what becomes of jobs that it lost shows nothing. */
  forget(): void {
    const { work, ttls, cancelled, resultReads, streams } = this;
    const ofJobs = [work.jobs, work.held, work.waited, ttls.jobs, cancelled.ids];
    for (const seen of [
      ...ofJobs,
      resultReads.first,
      streams.yielding,
      this.timedJobs,
      this.submissions,
    ]) {
      seen.clear();
    }
  }
}
