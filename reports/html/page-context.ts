import type { JobTimeline, LoadSeries } from "../model.ts";
import type { RepeatLineOf } from "../model.ts";
import type { LimitsOf } from "./limits.ts";
import type { PageData } from "./page-data.ts";

/** What all timelines of a page may take as JSON; a page with more says that the rest is in report.json. */
const timelineCharsMax = 160_000;

/** Takes in what the page's script is to draw, as far as there is room. */
export class Drawings {
  readonly #timelines: (readonly JobTimeline[])[] = [];
  readonly #series: LoadSeries[] = [];
  #room = timelineCharsMax;

  /** The number under which the script finds them; undefined where there is no room. */
  timelines(timelines: readonly JobTimeline[]): number | undefined {
    const chars = JSON.stringify(timelines).length;
    if (timelines.length === 0 || chars > this.#room) return undefined;
    this.#room -= chars;
    return this.#timelines.push(timelines) - 1;
  }

  /** The number under which the script finds it. */
  series(series: LoadSeries): number {
    return this.#series.push(series) - 1;
  }

  get data(): PageData {
    return { timelines: this.#timelines, series: this.#series };
  }
}

/** What the parts of a page share. */
export interface PageContext {
  readonly limits: LimitsOf;
  readonly drawings: Drawings;
  readonly repeatLineOf: RepeatLineOf;
}
