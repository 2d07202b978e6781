/** How a poll ended: it was answered, with or without a value, or its client broke it off. */
export type PollEnd = "answered" | "broken-off";

/** A long poll: a request that waits for a value, for `holdMs` of real time at most. It ends once. */
export class Poll<Value> {
  #value: Value | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onOver: ((how: PollEnd) => void)[] = [];
  #how: PollEnd | undefined;

  constructor(holdMs: number) {
    this.#timer = setTimeout(() => this.#end("answered", undefined), holdMs);
  }

  /** Resolves at the end of the poll with the value, or with undefined where there was none. */
  answered(): Promise<Value | undefined> {
    return new Promise((resolve) => {
      this.onOver(() => resolve(this.#value));
    });
  }

  /** Calls `action` when the poll is over, or at once where it already is. */
  onOver(action: (how: PollEnd) => void): void {
    if (this.#how === undefined) this.#onOver.push(action);
    else action(this.#how);
  }

  answer(value: Value): void {
    this.#end("answered", value);
  }

  breakOff(): void {
    this.#end("broken-off", undefined);
  }

  #end(how: PollEnd, value: Value | undefined): void {
    if (this.#how !== undefined) return;
    this.#how = how;
    clearTimeout(this.#timer);
    this.#value = value;
    for (const action of this.#onOver) action(how);
  }
}
