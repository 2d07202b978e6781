/** The time budget that has no limit, in milliseconds (`--time-budget full`). */
export const unlimitedBudgetMs = Number.MAX_SAFE_INTEGER;

/** The time budget where none is given, in milliseconds. */
export const defaultBudgetMs = 120_000;
