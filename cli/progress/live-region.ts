/** What a region needs of the terminal it is on. */
export interface Screen {
  readonly write: (text: string) => void;
  /** The current size: somebody may have changed the window meanwhile. */
  readonly columns: number;
}

const startOfLine = "\r";
const eraseBelow = "\u001B[J";

/** Lines at the bottom of a terminal that are written over, with what stays above them. */
export class LiveRegion {
  readonly #screen: Screen;
  #widths: readonly number[] = [];

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Writes the lines in place of those before; none of them may be wider than the terminal. */
  show(lines: readonly string[]): void {
    this.#screen.write(`${this.#erased()}${lines.join("\n")}`);
    this.#widths = lines.map((line) => line.length);
  }

  /** Writes a line that stays, above the region. */
  print(line: string): void {
    this.#screen.write(`${this.#erased()}${line}\n`);
  }

  /** Takes the region away. */
  clear(): void {
    this.#screen.write(this.#erased());
  }

  #erased(): string {
    if (this.#widths.length === 0) return "";
    // A window that became narrower has broken the lines: each takes as many rows as it now needs.
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
