/** Whom traffic can judge. */
export const judgedByTraffic = ["server", "client"] as const;
export type JudgedByTraffic = (typeof judgedByTraffic)[number];
