import type { Check } from "../../harness/check.ts";
import { judgeHistory } from "./judge-history.ts";

/** The last check of every run: it asks nothing, and judges what all others were answered. */
export const historyCheck: Check = {
  name: "states/everything-observed-is-one-legal-history",
  title: "all answers of the run together tell legal histories of all jobs",
  covers: ["LIFE-01", "LIFE-02", "STAT-01", "STAT-02", "SUBM-05"],
  needs: [],
  realTimeMs: 0,
  observes: true,
  run: async ({ history, recorder, expect }) => {
    const testify = recorder.attachments.push.bind(recorder.attachments);
    judgeHistory(history, { expect, attach: testify });
    await Promise.resolve();
  },
};
