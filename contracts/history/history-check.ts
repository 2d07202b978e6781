import type { Check } from "../../harness/check.ts";
import { judgeHistory } from "./judge-history.ts";
import { judgeLate } from "./judge-late.ts";

/** The last check of every run: it sends nothing, and judges the answers that all other checks got. */
export const historyCheck: Check = {
  name: "states/everything-observed-is-one-legal-history",
  title:
    "all answers of the run together tell legal histories of all jobs, and none is late beside the others",
  covers: [
    "LIFE-01", // Every observed history of a job is legal: IN_QUEUE, IN_PROGRESS (which may pass unseen), then one final state; a queued job may end CANCELLED or be removed; only a retry leads back, to IN_QUEUE.
    "LIFE-02", // A final state stays until retention ends or a permitted retry.
    "STAT-01", // status answers with the job's id and one of the six states.
    "STAT-02", // output is present once the job has completed, and in no other state.
    "STAT-08", // Reading status without ttl changes nothing: any number of reads give the same unfinished or finished record.
    "HLTH-02", // inQueue and inProgress are the numbers of jobs waiting and being processed.
    "HLTH-03", // completed and failed grow by one with each job that completes or fails.
    "HLTH-04", // retried grows by one with each retry.
    "RUNA-01", // run answers at once with an id and status IN_QUEUE, without waiting for the job.
    "STRM-01", // stream answers with a JSON array; each element has an object `output` and an object `metrics`.
    "CANC-03", // cancel answers at once, however long the job would still run.
    "RETR-01", // retry of a FAILED job answers with the same id and IN_QUEUE.
    "PURG-01", // purge-queue answers {removed, status: completed}; removed is the number of jobs that were waiting.
    "HLTH-01", // health answers with the five job counts and the two worker counts, integers of 0 or more.
    "SUBM-05", // Every accepted job has an id of its own, also among jobs submitted at the same time.
  ],
  needs: [],
  realTimeMs: 0,
  observes: true,
  run: async ({ history, recorder, expect }) => {
    const attach = recorder.attachments.push.bind(recorder.attachments);
    judgeHistory(history, { expect, attach });
    judgeLate(history.answerTimes.all(), { expect, attach });
    await Promise.resolve();
  },
};
