import type { Check } from "./kit/index.ts";

/** Checks of health (SPEC.md, Health response). */
export const healthChecks: readonly Check[] = [
  {
    name: "health/all-seven-counts",
    title: "health answers with five job counts and two worker counts, integers of 0 or more",
    covers: ["HLTH-01"],
    run: async ({ api, expect }) => {
      expect.body(await api.health(), "HealthAnswer");
    },
  },
];
