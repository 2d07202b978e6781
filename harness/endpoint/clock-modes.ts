import { waitMsMax } from "../../client/job-client.ts";
import type { JobClient } from "../../client/job-client.ts";
import { RunningTimeout } from "../../client/running-timeout.ts";
import type { SendRequest } from "../new-jobs.ts";
import type { EndpointTime } from "./time.ts";
import type { ClockKind, ControlClient } from "../../client/control-client.ts";
import type { Jobs } from "../inputs/jobs.ts";

/** So long an answer may be on its way where time stands still; once one was held, the next ones are known sooner. */
const onItsWayMs = { first: 10_000, later: 2_000 };
/** A larger payload takes longer than that on the way, in bytes. */
const smallBytesMax = 65_536;

/** The virtual clock of an endpoint, and for how many milliseconds nobody has moved it. */
interface MovedTime extends Pick<EndpointTime, "advance"> {
  readonly stoodStillMs: () => number;
}

/**
 * Releases answers that a target holds back on a virtual clock though nobody waits for time to pass: what runsync was to
 * refuse and accepts, or what waits for a worker. The answer would not come before its time-out, three times.
 */
export class HeldAnswers {
  #wasHeld = false;

  /** The client of an endpoint whose clock is `time`, which is moved past the longest wait where runsync gives no answer. */
  released(api: JobClient, time: MovedTime): JobClient {
    const { send } = api.options;
    if (send === undefined) return api;
    const releasing: SendRequest = async (request, context) => {
      const { length } = request.body ?? "";
      const isOwn = context.operation !== "runsync" || context.hasOwnTimeout;
      if (isOwn || length > smallBytesMax) return send(request, context);
      const ms = this.#wasHeld ? onItsWayMs.later : onItsWayMs.first;
      const release = (): void => {
        // Who moves the clock waits for it; and one move releases all answers that are held.
        const leftMs = ms - time.stoodStillMs();
        if (leftMs > 0) {
          timeout = new RunningTimeout(release, leftMs);
          return;
        }
        this.#wasHeld = true;
        // Where the clock cannot be moved, the request times out as any other.
        time.advance(waitMsMax + 1).catch(() => undefined);
      };
      let timeout = new RunningTimeout(release, ms);
      try {
        return await send(request, context);
      } finally {
        timeout.clear();
      }
    };
    return api.with({ send: releasing });
  }
}

/**
 * Which clock the fresh endpoints of a run have: asked of the first that was to have this one, and taken to be that of
 * all the others.
 */
export class ClockModes {
  /** What releases answers that are held back where time stands still. */
  readonly heldAnswers = new HeldAnswers();
  readonly #known = new Map<ClockKind, ClockKind>();

  /** @param asked the clock that the endpoint was to have */
  async of(control: ControlClient, endpointId: string, asked: ClockKind): Promise<ClockKind> {
    const known = this.#known.get(asked);
    if (known !== undefined) return known;
    const { mode } = await control.clock(endpointId);
    this.#known.set(asked, mode);
    return mode;
  }
}

/** What a fixture needs of an endpoint: its client, its time, and what its workers can be asked to do. */
export interface EndpointHandle {
  /** A client with a key that is valid here. */
  readonly api: JobClient;
  readonly time: EndpointTime;
  readonly jobs: Jobs;
}
