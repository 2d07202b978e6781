import { isJsonObject } from "../../client/parse-json.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { Exchange } from "../../client/exchange.ts";
import type { Deviations } from "../dialects/schema.ts";
import { jobStates } from "../record.ts";
import { isSuccess } from "../read.ts";
import type { Discovery } from "./discovery.ts";
import { unknownJob } from "./asker.ts";

/** Statuses that say of a job that it is not there, or of a request something else than that. */
const usual: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 429, 501, 503]);

/**
 * Learns that an unknown job is answered otherwise than by 404: by another error, or by a success with a state of its
 * own. Whoever waits until a job is gone would wait for ever.
 * @param exchange status of a job that is not there
 * @param isJobAsked whether one that is there was asked for as well
 */
export function learnUnknownJobs(
  discovery: Discovery,
  exchange: Exchange | undefined,
  isJobAsked: boolean,
): void {
  // A status that fails for jobs that are there says nothing by failing for one that is not.
  if (isJobAsked && !discovery.readsJobs) return;
  if (discovery.knows("missing-status") || discovery.doubtful.has("status")) return;
  const { answer } = exchange ?? {};
  if (exchange === undefined || answer === undefined || usual.has(answer.status)) return;
  const deviations = isSuccess(answer) ? recordOfNone(exchange) : { unknownJobs: answer.status };
  if (deviations === undefined) return;
  discovery.learn({
    id: "unknown-jobs-otherwise",
    topic: "jobs",
    text: `status of an unknown job is answered ${answer.status} in place of 404`,
    adapted: "read as 404",
    breaks: ["STAT-09"],
    expected: "404",
    deviations,
    seen: [exchange],
  });
}

/** The record by which a success says that there is no such job; undefined where it may be that of a job. */
function recordOfNone({ answer }: Exchange): Deviations | undefined {
  const body = answer === undefined ? undefined : bodyOf(answer);
  if (body?.ok !== true || !isJsonObject(body.value)) return undefined;
  const { status, error } = body.value;
  if (typeof status !== "string" || status === "") return undefined;
  const isText = typeof error === "string" && error !== "" && !error.includes(unknownJob);
  if (jobStates.includes(status) && !isText) return undefined;
  return { errorRecords: [{ status, error: isText ? error : "*", means: 404 }] };
}
