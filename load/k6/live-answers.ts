import type { LoadMeter } from "../meter.ts";

/** The lines of k6's points (`--out json`) that tell of a request: one when it is sent, one when it is over. */
const sentStart = '{"metric":"requests_sent","type":"Point"';
const overStart = '{"metric":"http_reqs","type":"Point"';

/** Requests to the control protocol are no load. */
const controlTag = '"op":"control"';

/**
 * Tells a meter of k6's requests while k6 runs, from the points it writes several times a second.
 * What a script sends without counting it in `requests_sent` is told of when it is over.
 */
export class LiveAnswers {
  readonly #meter: LoadMeter;
  #rest = "";
  #openCount = 0;

  constructor(meter: LoadMeter) {
    this.#meter = meter;
  }

  /** @param text a piece of what k6 writes; lines that are no points are passed over. */
  read(text: string): void {
    const lines = `${this.#rest}${text}`.split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#take(line);
  }

  /** To be called when k6 is over: what was still in flight stays without an answer. */
  end(): void {
    for (; this.#openCount > 0; this.#openCount -= 1)
      this.#meter.answered(0, "a request, sent by k6");
  }

  #take(line: string): void {
    if (line.startsWith(sentStart)) {
      this.#openCount += 1;
      this.#meter.sent(nameIn(line));
    } else if (line.startsWith(overStart) && !line.includes(controlTag)) {
      if (this.#openCount > 0) this.#openCount -= 1;
      else this.#meter.sent(nameIn(line));
      this.#meter.answered(Number(/"status":"(\d+)"/.exec(line)?.[1] ?? 0), nameIn(line));
    }
  }
}

/** The operation of a request, or the name that the script gives it. */
function nameIn(line: string): string {
  const [, name = "a request"] = /"(?:name|phase)":"([^"]+)"/.exec(line) ?? [];
  return `${name}, sent by k6`;
}
