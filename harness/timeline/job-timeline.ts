/** A span of the endpoint's clock, in milliseconds since the first thing that its check saw there. */
export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Between whose ends a state was seen: it held at least so long. */
export interface StateSpan extends Span {
  readonly status: string;
}

export type JobEventKind = "submit" | "read" | "cancel" | "retry" | "purge" | "webhook";

/** Something that was done to a job or that came of it; it lies somewhere within its span. */
export interface JobEvent extends Span {
  readonly kind: JobEventKind;
  /** "status: 404". */
  readonly text: string;
  /** How often in a row, where more than once. */
  readonly times?: number;
}

/** A moment by which something of a job had to be over: where in this span is not known more closely. */
export interface DueSpan extends Span {
  /** How long after its beginning it falls. */
  readonly afterMs: number;
}

/** What a check saw of one job, in the order of time. */
export interface JobTimeline {
  readonly job: string;
  readonly endpoint: string;
  readonly clock: "real" | "virtual";
  readonly states: readonly StateSpan[];
  readonly events: readonly JobEvent[];
  readonly due: readonly DueSpan[];
  /** How many events were left out, the oldest but for the first. */
  readonly eventsLeftOut?: number;
}
