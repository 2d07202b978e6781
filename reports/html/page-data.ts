import type { JobTimeline, LoadSeries } from "../model.ts";

/** The data that the page's script draws; the rest of a report is in the page as text. */
export interface PageData {
  /** Indexed by the number in `data-timelines`. */
  readonly timelines: readonly (readonly JobTimeline[])[];
  /** Indexed by the number in `data-series`. */
  readonly series: readonly LoadSeries[];
}

/** The id of the element that holds the data. */
export const pageDataId = "report-data";
