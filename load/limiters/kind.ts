import type { Timeline } from "./timeline.ts";

/** What is stated of a limit. */
export interface Declared {
  readonly limit: number;
  readonly windowMs: number;
}

/** The numbers that tell limiters of one kind apart. */
export interface LimiterNumbers extends Declared {
  /** Where aligned windows begin, on the trace's clock. */
  readonly phaseMs?: number;
  /** How many parts a window is split into, or how many processes count independently. */
  readonly parts?: number;
}

/** Takes `count` requests at one moment and answers how many of them are admitted. Moments never step back. */
export type Admit = (nowMs: number, count: number) => number;

/** The limits and windows with which limiters of one kind explain a trace in full. */
export interface Explained {
  readonly limits: { readonly least: number; readonly most: number };
  readonly windows: { readonly shortestMs: number; readonly longestMs: number };
}

/** The limiter of a kind that explains a trace best. */
export interface Found extends LimiterNumbers {
  /** How many requests it gets wrong. */
  readonly differences: number;
  /** The shortest and the longest window with which it explains the trace equally well. */
  readonly bounds?: Explained["windows"];
  /** Absent where no limiter of the kind explains everything. */
  readonly explained?: Explained;
}

export interface NamedFound extends Found {
  readonly kind: string;
}

/** Looks for the limiter of one kind that explains a trace best. */
export type Search = (trace: Timeline, declared: Declared) => Found;

/** One way of counting requests, with all that is known of it. */
export interface LimiterKind {
  /** The kind's name in reports. */
  readonly name: string;
  /** Which of the answers to RATE-14 it is; absent: none. */
  readonly reading?: string;
  /** The limiter with nothing counted yet. */
  readonly start: (numbers: Required<LimiterNumbers>) => Admit;
  /** The kind that behaves the same while nothing is refused; absent: itself. */
  readonly unrefused?: LimiterKind;
  /**
   * How many times the limit it accepts over `windows` windows in which twice the limit is sent: k6's counts are judged
   * by that. Absent: they need not allow for the kind.
   */
  readonly limitsIn?: (windows: number) => { readonly least: number; readonly most: number };
  /** How many windows back it looks; absent: one. */
  readonly looksBack?: number;
  /** Searches windows that are round parts of the declared one. Absent: the kind is reached by `recognise` alone. */
  readonly search?: Search;
  /** The same with any other window; absent where `search` tries these, too. */
  readonly searchOthers?: Search;
  /** It explains so much that it counts only where no other kind explains a trace. */
  readonly isLast?: true;
  /** The numbers, as of this kind, of a limiter that was found as another kind, if they show that it is of this one. */
  readonly recognise?: (found: NamedFound, declared: Declared) => LimiterNumbers | undefined;
  /** The window that is really applied, where that is not the one in its numbers. */
  readonly keptWindowMs?: (numbers: LimiterNumbers) => number;
  /** A remark that a verdict on its limit adds. */
  readonly remark?: (numbers: LimiterNumbers) => string;
}
