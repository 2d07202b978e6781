/** Subtracted from the end of a window, which does not belong to the window. */
export const instantMs = 1e-9;
/** Keep rounding of fractions from costing a limiter a whole request: in a model, and in what a trace demands. */
export const modelEpsilon = 1e-9;
export const demandEpsilon = 1e-3;
