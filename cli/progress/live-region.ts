import type { Io } from "../io.ts";

/** What a region needs of the terminal it is on. */
type Screen = Pick<Io, "write" | "columns">;

const startOfLine = "\r";
const eraseBelow = "\u001B[J";

/** Lines at the bottom of a terminal that are overwritten in place; printed lines stay above them. */
export class LiveRegion {
  readonly #screen: Screen;
  #widths: readonly number[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Replaces the lines of the region; none may be wider than the terminal. */
  show(lines: readonly string[]): void {
    this.#screen.write(`${this.#erased()}${lines.join("\n")}`);
    this.#widths = lines.map((line) => line.length);
  }

  /** Writes a line that stays, above the region. */
  print(line: string): void {
    this.#screen.write(`${this.#erased()}${line}\n`);
  }

  /** Removes the region. */
  clear(): void {
    this.#screen.write(this.#erased());
  }

  #erased(): string {
    if (this.#widths.length === 0) return "";
    // A narrower window has wrapped the lines, so each takes as many rows as it needs now.
    const columns = Math.max(1, this.#screen.columns);
    const rows = this.#widths.reduce(
      (sum, width) => sum + Math.max(1, Math.ceil(width / columns)),
      0,
    );
    this.#widths = [];
    const up = rows > 1 ? `\u001B[${rows - 1}A` : "";
    return `${startOfLine}${up}${eraseBelow}`;
  }
}
