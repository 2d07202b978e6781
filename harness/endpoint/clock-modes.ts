import type { ClockKind, ControlClient } from "../../client/control-client.ts";
import { HeldAnswers } from "./held-answers.ts";

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
