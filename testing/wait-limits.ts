/** How long a test waits for what has to come: no test depends on how fast the machine is, and none hangs. */
export const waitLimits = { timeout: 280_000, interval: 50 } as const;
