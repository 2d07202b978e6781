import type { RequirementId } from "../../openapi/requirements.ts";
import type { Deviations, Dialect } from "./schema.ts";

const notQueued = "a job is run by the call that reads it: there is no queue and no worker";
const readOnce = "a result can be read once and is gone then";
const noPolicy = "policy is ignored: there are no timeouts and no ttl";
const noRetention = "nothing ends the retention of a job but the reading of its result";
const wholeStream = "chunks can be read once, when the job has ended, by the call that ran it";
const oneAttempt = "the call of a webhook is made once, whatever the answer";
const noLimits = "there are no rate limits and no concurrency caps";
const noSizes = "there is no limit to the size of a payload";
const noTimes = "records have no delayTime and no executionTime";

/** The server that the vendor's worker library starts for local tests; docs/dialects.md has the facts. */
export const rpLocal: Dialect = {
  name: "rp-local",
  description: "The local server of the vendor's worker library (--rp_serve_api, 1.12).",
  readings: { "ENDP-04": "a JSON object" },
  deviations: {
    basePath: "",
    methods: { status: "POST", stream: "POST" },
    authorization: "none",
    refusals: [422],
    initialStatuses: ["IN_PROGRESS"],
    recordsWithout: ["delayTime", "executionTime"],
    errorRecords: [{ status: "FAILED", error: "Job ID not found", means: 404 }],
    oneShotResults: true,
    stream: { member: "stream", withoutMetrics: true },
    lacks: ["cancel", "retry", "purge-queue", "health", "openai", "requests"],
    lacksRequirements: {
      "SUBM-07": "there is no health, and so no count of jobs",
      ...all(noPolicy, ["POLI-01", "POLI-02", "POLI-03", "POLI-04", "POLI-05", "POLI-06"]),
      ...all(noPolicy, ["POLI-07", "POLI-08", "POLI-09", "POLI-10", "POLI-11", "POLI-12"]),
      ...all(noPolicy, ["POLI-13", "POLI-14"]),
      ...all("s3Config is ignored", ["S3CF-01", "S3CF-02", "S3CF-03"]),
      ...all(noSizes, ["RUNA-02", "RUNA-03", "SYNC-06"]),
      ...all(noRetention, ["RUNA-05", "RUNA-06", "SYNC-08", "SYNC-09", "STAT-10"]),
      ...all(readOnce, ["RUNA-04", "RUNA-07", "SYNC-07", "STAT-08", "LIFE-02"]),
      ...all("wait is ignored: runsync answers when its job ends", [
        "SYNC-03",
        "SYNC-04",
        "SYNC-05",
      ]),
      ...all(noTimes, ["STAT-04", "STAT-05"]),
      ...all("the query parameter ttl of status is ignored", ["STAT-06", "STAT-07"]),
      ...all(wholeStream, ["STRM-01", "STRM-02", "STRM-03", "STRM-04", "STRM-05"]),
      "HOOK-08": "the body of a webhook does not say which job it is about",
      ...all(notQueued, ["SYNC-11", "LIFE-03", "LIFE-05", "LIFE-06", "LIFE-07", "LIFE-08"]),
      ...all(oneAttempt, ["HOOK-04", "HOOK-05", "HOOK-06", "HOOK-07"]),
      ...all(noLimits, ["RATE-01", "RATE-02", "RATE-03", "RATE-04", "RATE-09", "RATE-10"]),
      ...all(noLimits, ["RATE-11", "RATE-12", "RATE-13", "RATE-14", "RATE-15"]),
      ...all(noLimits, ["CONC-01", "CONC-02", "CONC-03", "CONC-04", "CONC-08", "CONC-09"]),
    },
    skipsChecks: {
      "*-timed-out-job": noPolicy,
      "*cancelled*": "there is no cancel",
    },
    tolerates: [
      { requirement: "HOOK-01", what: notQueued, got: "no call" },
      {
        requirement: "SUBM-06",
        what: "a webhook may be any text",
        got: "status 2*",
      },
      {
        requirement: "HOOK-02",
        what: "the body of a webhook brings the output alone",
        at: "*, *",
        got: "null",
      },
    ],
  },
};

function all(why: string, ids: readonly RequirementId[]): Deviations["lacksRequirements"] {
  return Object.fromEntries(ids.map((id) => [id, why]));
}
