import type { ClockKind, ControlClient } from "../../client/control-client.ts";
import { HeldAnswers } from "./held-answers.ts";
import type { JobClient } from "../../client/job-client.ts";
import type { Jobs } from "../inputs/jobs.ts";
import type { EndpointTime } from "./time.ts";

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
