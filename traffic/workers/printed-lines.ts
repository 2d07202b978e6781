import { monotonicNowMs } from "../../client/exchange.ts";

interface PrintedLine {
  readonly atMs: number;
  readonly workerId: string;
  readonly text: string;
}

const linesMax = 20_000;
const charactersMax = 8_192;

/** What workers printed, line by line with its time: the last 20,000 lines, each of 8 kB at most. */
export class PrintedLines {
  #lines: PrintedLine[] = [];
  readonly #open = new Map<string, string>();
  readonly #onLine: ((workerId: string, line: string) => void) | undefined;

  /** `onLine` is called with each line when it is whole. */
  constructor(onLine?: (workerId: string, line: string) => void) {
    this.#onLine = onLine;
  }

  add(workerId: string, text: string): void {
    const lines = `${this.#open.get(workerId) ?? ""}${text}`.split(/\r?\n/);
    this.#open.set(workerId, (lines.pop() ?? "").slice(-charactersMax));
    for (const line of lines) this.#keep(workerId, line.slice(0, charactersMax));
    if (this.#lines.length > linesMax) this.#lines = this.#lines.slice(-linesMax / 2);
  }

  /** What was printed in a time, in milliseconds of the monotonic clock; what is no whole line yet as well. */
  between(fromMs: number, toMs: number): readonly string[] {
    const open = [...this.#open.values()].filter((line) => line !== "");
    return [...this.#within(fromMs, toMs).map(({ text }) => text), ...open];
  }

  /** What one worker printed in a time, as whole lines. */
  of(workerId: string, fromMs: number, toMs: number): readonly string[] {
    const own = this.#within(fromMs, toMs).filter((line) => line.workerId === workerId);
    return own.map(({ text }) => text);
  }

  #within(fromMs: number, toMs: number): readonly PrintedLine[] {
    return this.#lines.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  }

  #keep(workerId: string, text: string): void {
    this.#lines.push({ atMs: monotonicNowMs(), workerId, text });
    this.#onLine?.(workerId, text);
  }
}
