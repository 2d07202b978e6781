/** Enough workers that a runsync job finds one free beside all that wait to be cancelled. */
export const manyWorkers = { workers: 1_000 } as const;
