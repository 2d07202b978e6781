import type { RequirementId } from "../../openapi/requirements.ts";

/** What traffic can show of a requirement of servers. */
export interface ShownByTraffic {
  /** What traffic would show it. */
  readonly shownBy: string;
  /** Whether traffic can show that it holds, and not a breach of it alone. */
  readonly isWhole: boolean;
  /** Whether it is judged only where nobody else uses the endpoint. */
  readonly isOfCounts?: true;
  readonly isOfLimits?: true;
}

const fully = (shownBy: string): ShownByTraffic => ({ shownBy, isWhole: true });
const breachAlone = (shownBy: string): ShownByTraffic => ({ shownBy, isWhole: false });
const ofCounts = (shownBy: string): ShownByTraffic => ({
  ...breachAlone(shownBy),
  isOfCounts: true,
});
const ofLimits = (operation: string): ShownByTraffic => ({
  ...breachAlone(`more requests of ${operation} than it allows, or a 429 far below it`),
  isOfLimits: true,
});

/** What traffic can show of each requirement; of those that are not here, nothing. */
export const shownByTraffic: Readonly<Partial<Record<RequirementId, ShownByTraffic>>> = {
  "AUTH-01": fully("a request without a key"),
  "AUTH-03": fully("a request with the bare key"),
  "AUTH-04": fully("a request with the key after `Bearer `"),
  "ENDP-03": fully("a success"),
  "ENDP-05": fully("a success"),
  "SUBM-01": fully("a submission without input, beside one that is accepted"),
  "SUBM-02": fully("a submission whose input is no object, beside one that is accepted"),
  "SUBM-03": fully("a submission whose body is no JSON object, beside one that is accepted"),
  "SUBM-05": fully("accepted submissions"),
  "SUBM-06": fully("a submission whose webhook is no URL, beside one that is accepted"),
  "POLI-01": fully("a submission with an executionTimeout out of bounds"),
  "POLI-02": fully("a submission with a ttl out of bounds"),
  "POLI-03": fully("a submission with a lowPriority that is no boolean"),
  "POLI-04": fully("a job that runs past its executionTimeout"),
  "POLI-08": ofCounts("a job that waits past its ttl"),
  "POLI-09": ofCounts("a job that works past its ttl"),
  "S3CF-02": fully("answers after a submission with s3Config"),
  "S3CF-03": fully("a submission whose s3Config is no object of texts"),
  "RUNA-01": fully("a submission by run"),
  "RUNA-02": breachAlone("a payload about the limit"),
  "RUNA-04": fully("a result that is read 27 to 30 minutes after its job's end"),
  "RUNA-05": breachAlone("a result that is read 31 minutes after its job's end"),
  "SYNC-01": fully("a runsync that is answered COMPLETED"),
  "SYNC-02": fully("a runsync whose job ends within the wait"),
  "SYNC-03": fully("a runsync with a wait out of bounds"),
  "SYNC-04": fully("a runsync whose wait is over before its job"),
  "SYNC-05": fully("a runsync without wait whose job takes more than 90 s"),
  "SYNC-06": breachAlone("a payload about the limit"),
  "SYNC-07": fully("a result that is read 54 to 60 s after its job's end"),
  "STAT-01": fully("reads of a job"),
  "STAT-02": fully("reads of a job before its end"),
  "STAT-03": fully("reads of a completed job"),
  "STAT-07": fully("a read with a ttl that is no positive integer"),
  "STAT-08": fully("two reads of a job after its end"),
  "STRM-01": fully("a read of a stream"),
  "STRM-02": {
    ...fully("a stream that is read until nothing more comes, of a job whose output is its chunks"),
    isOfCounts: true,
  },
  "STRM-03": breachAlone("chunks of 1 MB"),
  "CANC-01": fully("a cancel of a job that waits"),
  "CANC-02": breachAlone("a cancel of a job that works"),
  "RETR-01": fully("a retry of a job that is FAILED"),
  "RETR-02": fully("a retry of a job that is TIMED_OUT"),
  "RETR-04": fully("a read of a job that was retried and waits"),
  "RETR-05": fully("a retry of a job that is COMPLETED or CANCELLED"),
  "PURG-01": fully("a purge"),
  "HLTH-01": fully("a read of health"),
  "HLTH-02": ofCounts("health beside jobs whose states are known"),
  "HLTH-03": ofCounts("health before and after the end of jobs"),
  "HLTH-04": ofCounts("health before and after retries"),
  "HOOK-01": fully("the call of a webhook"),
  "HOOK-02": fully("the call of a webhook, beside a read of its job after its end"),
  "HOOK-03": {
    ...fully("calls of webhooks half a minute after one that was answered 200"),
    isOfCounts: true,
  },
  "HOOK-04": { ...fully("calls of webhooks that all fail"), isOfCounts: true },
  "HOOK-05": fully("a call that is made again"),
  "HOOK-06": {
    ...fully("calls of webhooks half a minute after a second or third one that was answered 200"),
    isOfCounts: true,
  },
  "HOOK-07": fully("a call that is made again after another answer than 200"),
  "HOOK-08": breachAlone("a call that tells of an unfinished job"),
  "LIFE-01": fully("reads of a job in two states"),
  "LIFE-02": fully("two reads of a job after its end"),
  "LIFE-04": fully("a read of a job that FAILED"),
  "RATE-01": ofLimits("runsync"),
  "RATE-02": ofLimits("run"),
  "RATE-03": ofLimits("status"),
  "RATE-04": ofLimits("stream"),
  "RATE-05": ofLimits("cancel"),
  "RATE-06": ofLimits("purge-queue"),
  "RATE-07": ofLimits("openai"),
  "RATE-08": ofLimits("requests"),
  "CONC-01": ofLimits("runsync"),
  "CONC-02": ofLimits("run"),
  "CONC-03": ofLimits("status"),
  "CONC-04": ofLimits("stream"),
  "CONC-05": ofLimits("cancel"),
  "CONC-06": ofLimits("openai"),
  "CONC-07": ofLimits("requests"),
};
