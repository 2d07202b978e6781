/** How a poll came to its end: answered, with something or with nothing, or left by its client. */
export type PollEnd = "answered" | "broken-off";

/** A request that waits for something to tell, in real time. It ends once. */
export class Poll<Value> {
  #value: Value | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onOver: ((how: PollEnd) => void)[] = [];
  #how: PollEnd | undefined;

  constructor(holdMs: number) {
    this.#timer = setTimeout(() => this.#end("answered", undefined), holdMs);
  }

  /** What it was answered with; undefined where that is nothing. */
  answered(): Promise<Value | undefined> {
    return new Promise((resolve) => {
      this.onOver(() => resolve(this.#value));
    });
  }

  /** Calls it when the poll is over: at once where it is already. */
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
