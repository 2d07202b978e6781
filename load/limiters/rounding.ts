/** A part of a moment, so that the end of a window is not in it. */
export const instantMs = 1e-9;
/** Rounding must not cost a limiter of fractions one whole request: of a model, and of what a trace demands. */
export const modelEpsilon = 1e-9;
export const demandEpsilon = 1e-3;
