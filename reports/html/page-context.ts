import type { JobTimeline, LoadSeries, RepeatLineOf } from "../model.ts";
import type { LimitsOf } from "./limits.ts";
import type { PageData } from "./page-data.ts";

/** Most characters of all timelines of a page as JSON; for a timeline beyond, the page points to report.json. */
const timelineCharsMax = 160_000;

/** Collects what the page's script draws, as far as there is space. */
export class Drawings {
  readonly #timelines: (readonly JobTimeline[])[] = [];
  readonly #series: LoadSeries[] = [];
  #room = timelineCharsMax;

  /** Returns the number by which the script finds the timelines; undefined where there is no space. */
  timelines(timelines: readonly JobTimeline[]): number | undefined {
    const chars = JSON.stringify(timelines).length;
    if (timelines.length === 0 || chars > this.#room) return undefined;
    this.#room -= chars;
    return this.#timelines.push(timelines) - 1;
  }

  /** Returns the number by which the script finds the series. */
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
