/** A span in milliseconds since the first thing that a check saw at the endpoint, on the endpoint's clock. */
export interface TimelineSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What a check saw of one job. Of a state: it held at least so long; of an event: it lies somewhere within. */
export interface JobTimeline {
  readonly job: string;
  readonly endpoint: string;
  readonly clock: "real" | "virtual";
  readonly states: readonly (TimelineSpan & { readonly status: string })[];
  readonly events: readonly TimelineEvent[];
  /** When something of the job had to be over, and how long after its beginning that is. */
  readonly due: readonly (TimelineSpan & { readonly afterMs: number })[];
  /** How many events are left out after the first. */
  readonly eventsLeftOut?: number;
}

export const timelineKinds = ["submit", "read", "cancel", "retry", "purge", "webhook"] as const;

export interface TimelineEvent extends TimelineSpan {
  readonly kind: (typeof timelineKinds)[number];
  /** "status: 404". */
  readonly text: string;
  /** How often in a row, where more than once. */
  readonly times?: number;
}
