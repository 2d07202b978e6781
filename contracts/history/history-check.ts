import type { Check } from "../../harness/check.ts";
import { judgeHistory } from "./judge-history.ts";
import { judgeLate } from "./judge-late.ts";

/** The last check of every run: it sends nothing, and judges the answers that all other checks got. */
export const historyCheck: Check = {
  name: "states/everything-observed-is-one-legal-history",
  title:
    "all answers of the run together tell legal histories of all jobs, and none is late beside the others",
  covers: [
    "LIFE-01",
    "LIFE-02",
    "STAT-01",
    "STAT-02",
    "STAT-08",
    "HLTH-02",
    "HLTH-03",
    "HLTH-04",
    "RUNA-01",
    "STRM-01",
    "CANC-03",
    "RETR-01",
    "PURG-01",
    "HLTH-01",
    "SUBM-05",
  ],
  needs: [],
  observe: ({ history, recorder, expect }) => {
    const attach = recorder.attachments.push.bind(recorder.attachments);
    judgeHistory(history, { expect, attach });
    judgeLate(history.answerTimes.all(), { expect, attach });
  },
};
