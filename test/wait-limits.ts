/** How long a test waits for an expected event: long enough for a slow machine, but not for ever. */
export const waitLimits = { timeout: 280_000, interval: 50 } as const;
