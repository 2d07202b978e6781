import type { Answer, Exchange } from "../../client/exchange.ts";
import { bodyOf } from "../../client/parsed-body.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { askedUnder } from "../dialects/asked-under.ts";
import { mayBeRecord } from "../dialects/record-operations.ts";
import type { Deviations } from "../dialects/schema.ts";
import { isSuccess } from "../read.ts";
import { isLooseRecord, jobStates } from "../record.ts";
import { unknownJob } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import { isAnswerTo } from "./shown-by.ts";

/** What says that there is no such job (400 and 404, STAT-10 and POLI-14), or that it may not be asked for, whatever the body holds. */
const ofRefusals: ReadonlySet<number> = new Set([400, 401, 403, 404, 429]);

/**
 * Learns that an operation answers with the record of the job, and with an HTTP status that is no success: that of a
 * failed job is an error to some, and an accepted one is to be seen elsewhere (303) for others.
 * @param given what the dialect says already: that is tolerated, and no cause
 */
export function learnRecordStatus(
  discovery: Discovery,
  exchange: Exchange,
  { recordStatuses = [] }: Deviations = {},
): void {
  const { answer, operation, request } = exchange;
  const record = answer === undefined ? undefined : recordOutsideSuccess(operation, answer);
  if (record === undefined || (request.jobId ?? record.id) !== record.id) return;
  const { status, state } = record;
  if (recordStatuses.includes(status)) return;
  const isSame = isAnswerTo([operation], (seen) => seen === status);
  discovery.learn({
    id: `record-with-${status}`,
    topic: "records",
    text: `${operation} answers ${status} with the record of a job that is ${state}`,
    adapted: "read as a success",
    breaks: [askedUnder[operation]],
    expected: "a success with the record of the job",
    explains: (_, evidence) => isSame(evidence),
    deviations: { recordStatuses: [status] },
    seen: [exchange],
  });
}

interface RecordOutsideSuccess {
  readonly status: number;
  readonly id: string;
  readonly state: string;
}

function recordOutsideSuccess(
  operation: OperationName,
  answer: Answer,
): RecordOutsideSuccess | undefined {
  const { status } = answer;
  const mayBe = !isSuccess(answer) && !ofRefusals.has(status) && mayBeRecord(operation, status);
  const body = mayBe ? bodyOf(answer) : undefined;
  if (body?.ok !== true || !isLooseRecord(body.value)) return undefined;
  const { id, status: state } = body.value;
  return jobStates.includes(state) ? { status, id, state } : undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Learns that status redirects to elsewhere where it has to tell how a job is, as the result of a finished one. */
export function learnStatusRedirect(discovery: Discovery, exchange: Exchange): void {
  const { answer, operation, request } = exchange;
  const isOfJob = operation === "status" && (request.jobId ?? unknownJob) !== unknownJob;
  if (!isOfJob || answer === undefined || !redirects.has(answer.status)) return;
  const location = answer.headers["location"];
  if (location === undefined || !URL.canParse(location, request.url)) return;
  const [from, to] = [request.url, new URL(location, request.url).href].map(barePathOf);
  // The same path of another scheme or host is that of a gateway in front.
  if (from === to) return;
  discovery.learn({
    id: "status-redirects",
    topic: "records",
    text: `status redirects in place of telling how a job is: it answers ${answer.status}`,
    adapted: "not followed: what reads jobs is not run",
    breaks: ["STAT-01"],
    expected: "the record of the job",
    excuses: (_, evidence) => isRedirect(evidence),
    excusesReason: (reason) => reason.includes(`status answered ${answer.status}`),
    deviations: { lacks: ["status"] },
    seen: [exchange],
  });
}

const isRedirect = isAnswerTo(["status"], (status) => redirects.has(status));

/** The path of a URL without a slash at its end. */
function barePathOf(url: string): string {
  return new URL(url).pathname.replace(/\/$/, "");
}
