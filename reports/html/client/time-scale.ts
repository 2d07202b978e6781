/** Maps moments to places from 0, the first, to 1, the last. */
export interface TimeScale {
  place: (ms: number) => number;
  /** The moment at a place. */
  momentAt: (place: number) => number;
  /** At most `count` moments between two places that are worth a label. */
  ticks: (from: number, to: number, count: number) => readonly number[];
}

/** Places moments true to scale. */
export function linearScale(fromMs: number, toMs: number): TimeScale {
  const spanMs = Math.max(toMs - fromMs, 1);
  const momentAt = (place: number): number => fromMs + place * spanMs;
  return {
    place: (ms) => (ms - fromMs) / spanMs,
    momentAt,
    ticks: (from, to, count) => roundMoments(momentAt(from), momentAt(to), count),
  };
}

/** Compresses long waits: the width of a wait grows with its logarithm, so that short waits stay visible. */
export function compressedScale(moments: readonly number[]): TimeScale {
  const knots = [...new Set(moments)].toSorted((a, b) => a - b);
  const places: number[] = [0];
  for (const [at, ms] of knots.entries()) {
    if (at > 0) places.push((places[at - 1] ?? 0) + 1 + Math.log10(1 + ms - (knots[at - 1] ?? 0)));
  }
  const whole = places.at(-1) ?? 0;
  const shares = whole === 0 ? places : places.map((place) => place / whole);
  const place = (ms: number): number => between(ms, knots, shares);
  return {
    place,
    momentAt: (wanted) => between(wanted, shares, knots),
    ticks: (from, to, count) => {
      const shown = knots.filter((ms) => place(ms) >= from && place(ms) <= to);
      const every = Math.max(1, Math.ceil(shown.length / Math.max(1, count)));
      return shown.filter((_, at) => at % every === 0);
    },
  };
}

/** Interpolates: `wanted` lies between two values of `from`; returns the value between their counterparts in `to`. */
function between(wanted: number, from: readonly number[], to: readonly number[]): number {
  const last = from.length - 1;
  if (last < 1) return to[0] ?? 0;
  const above = Math.min(
    Math.max(
      from.findIndex((each) => each >= wanted),
      1,
    ),
    last,
  );
  const next = wanted > (from[last] ?? 0) ? last : above;
  const [low = 0, high = 0] = [from[next - 1], from[next]];
  const share = high === low ? 0 : (wanted - low) / (high - low);
  return (to[next - 1] ?? 0) + share * ((to[next] ?? 0) - (to[next - 1] ?? 0));
}

/** Moments that lie 1, 2 or 5 times a power of ten apart. */
function roundMoments(fromMs: number, toMs: number, count: number): readonly number[] {
  const wanted = Math.max((toMs - fromMs) / Math.max(1, count), 0.001);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * ([1, 2, 5].find((digit) => digit * power >= wanted) ?? 10);
  const first = Math.ceil(fromMs / step);
  const last = Math.floor(toMs / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step);
}
