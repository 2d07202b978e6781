import type { WorkLength } from "../inputs/jobs.ts";
import type { SeenWork } from "../inputs/own-jobs.ts";
import type { SeenEndpoint, Target } from "../target.ts";
import { EndpointPool } from "./endpoint-pool.ts";
import type { ShareLimits } from "./endpoint-pool.ts";
import { Occupancy } from "./occupancy.ts";
import { Throttle } from "./throttle.ts";

/** An endpoint that checks share, with the throttle that keeps all of them below its limits. */
export interface SharedEndpoint extends SeenEndpoint {
  readonly throttle: Throttle;
  /** Whether the jobs of all of them together keep its workers busy. */
  readonly occupancy: Occupancy;
}

/** A check waits for answers, and not for workers, where an answer takes so long: more checks may wait at once. */
const anotherEveryMs = 100;
const shortAtOnceMin = 2;
const shortAtOnceMax = 6;

/** How many short checks share an endpoint at once, by how long the target takes to answer. */
export function shortAtOnce(answerMs = 0): number {
  return Math.min(shortAtOnceMax, shortAtOnceMin + Math.floor(answerMs / anotherEveryMs));
}

/**
 * Keeps one worker free of long jobs while a short check may need it, so that no check waits for another's. Where there
 * is only one, the long ones come when no short one is left.
 */
export function limitsOf({ workersSeen }: SeenEndpoint, answerMs: number | undefined): ShareLimits {
  return {
    short: shortAtOnce(answerMs),
    long: Math.max(0, workersSeen - 1),
    longAlone: Math.max(1, workersSeen),
  };
}

/** The endpoints that the user named and all checks share, and who holds which of them. */
export class SharedEndpoints {
  readonly pool: EndpointPool;
  readonly #endpoints: readonly SharedEndpoint[];

  constructor(target: Target) {
    const seen = seenEndpointsOf(target);
    const { answerMs } = target.discovery ?? {};
    this.pool = new EndpointPool(seen.map((each) => limitsOf(each, answerMs)));
    this.#endpoints = seen.map((each) => {
      const occupancy = new Occupancy(each.workersSeen);
      return Object.assign({ throttle: new Throttle(), occupancy }, each);
    });
  }

  /** @param endpoint the number that its holder was given */
  at(endpoint: number): SharedEndpoint {
    const shared = this.#endpoints[endpoint];
    if (shared === undefined) throw new Error(`there is no endpoint ${endpoint}`);
    return shared;
  }
}

/** The endpoints that the user named; one without an id where there is none. */
function seenEndpointsOf(target: Target): readonly SeenEndpoint[] {
  const { endpointId = "", workersSeen = 1, otherEndpoints = [] } = target;
  return [{ endpointId, workersSeen }, ...otherEndpoints];
}

/** The ids of the endpoints that the user named. */
export function endpointIdsOf(target: Target): readonly string[] {
  if (target.endpointId === undefined) return [];
  return seenEndpointsOf(target).map(({ endpointId }) => endpointId);
}

/** How long the jobs of a jobs file work. */
export interface OwnWork {
  /** Absent: the file has no slow job. */
  readonly slow?: WorkLength;
  /** How long the quick and the slow one took when they were tried; absent before that. */
  readonly seen?: SeenWork;
}

/** What decides how long a run takes on endpoints that its checks share. */
export interface EndpointSharing {
  /** How many workers each endpoint showed when the run began. */
  readonly workers: readonly number[];
  /** Absent: jobs do as the checks ask. */
  readonly own?: OwnWork;
  /** How long the target takes to answer, in milliseconds; absent: not known, and no longer than the reference. */
  readonly answerMs?: number;
  /** How long a job waits for a free worker to look for it, in milliseconds; absent: not known, or not at all. */
  readonly startMs?: number;
}

/** How the checks of a run share the endpoints that the user named. */
export function sharingOf(target: Target): EndpointSharing {
  const workers = seenEndpointsOf(target).map(({ workersSeen }) => workersSeen);
  const { jobs, discovery } = target;
  const sharing = { workers, ...(discovery !== undefined && { answerMs: discovery.answerMs }) };
  if (jobs === undefined) return sharing;
  return { ...sharing, own: jobs.slow === undefined ? {} : { slow: jobs.slow } };
}
