import type { JobTimeline, LoadSeries } from "../model.ts";

/** What the page's script draws; everything else of a report stands in the page as text. */
export interface PageData {
  /** By the number in `data-timelines`. */
  readonly timelines: readonly (readonly JobTimeline[])[];
  /** By the number in `data-series`. */
  readonly series: readonly LoadSeries[];
}

/** The id of the element that holds it. */
export const pageDataId = "report-data";
