import type { Exchange } from "../../client/exchange.ts";
import { namesJob, operationNamed } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { askedUnder } from "../dialects/record-operations.ts";
import { shapeOf, unknownJob, wrongKey } from "./asker.ts";
import type { Ask, Asker } from "./asker.ts";
import type { Discovery } from "./discovery.ts";
import { isKeyRefusal } from "./form.ts";
import { isOfBusyWorkers } from "./slow-operations.ts";
import { describeAnswer } from "../read.ts";
import { isServerError, learnCancel } from "./cancel.ts";
import { isAnswerTo } from "./shown-by.ts";

/** How an operation is asked for so that it has no effect: without an input, for a job that is not there. */
const harmless: readonly HarmlessRequest[] = [
  { name: "run", ask: async (client) => client.run({}) },
  { name: "runsync", ask: async (client) => client.runsync({}) },
  { name: "status", ask: async (client) => client.status(unknownJob) },
  { name: "stream", ask: async (client) => client.stream(unknownJob) },
  { name: "retry", ask: async (client) => client.retry(unknownJob) },
  // The last one: some servers answer nothing else while they cancel.
  { name: "cancel", ask: async (client) => client.cancel(unknownJob) },
];

interface HarmlessRequest {
  readonly name: OperationName;
  readonly ask: Ask;
}

/** What paths without an operation answer, with the key and with a wrong one, by method. */
type Unknown = Readonly<Record<"GET" | "POST", Exchange | undefined>>;

/** What was answered where each operation should be; no purge-queue, which is not asked for with the key. */
export type HarmlessAnswers = ReadonlyMap<OperationName, Exchange>;

/**
 * Finds out which operations are missing, by requests that change nothing, and learns those. An operation that may be
 * there or not counts as there.
 * @param first what was answered to the first question, health where that is there
 * @param refusesKeys whether the target was seen to refuse a wrong key
 * @returns what each operation that was asked for answered
 */
export async function findOperations(
  asker: Asker,
  { first, refusesKeys }: { readonly first: Exchange; readonly refusesKeys: boolean },
): Promise<HarmlessAnswers> {
  const unknown: Unknown = {
    GET: await asker.askUnknown("GET"),
    POST: await asker.askUnknown("POST"),
  };
  const answers = new Map([...(await harmlessAnswers(asker)), [first.operation, first] as const]);
  const tellsJobsApart = [...answers].some(
    ([name, exchange]) => namesJob(name) && !isLikeUnknown(exchange, unknown),
  );
  for (const [name, exchange] of answers) {
    const isSure = !namesJob(name) || tellsJobsApart || isUnimplemented(exchange);
    const isLike =
      isUnimplemented(exchange) ||
      (isNowhere(exchange) && (!namesJob(name) || isLikeUnknown(exchange, unknown)));
    if (!isLike) continue;
    if (isSure) learnMissing(asker.discovery, exchange);
    else asker.discovery.doubtful.add(name);
  }
  asker.discovery.unknownPath = unknown.POST;
  if (refusesKeys) await findPurge(asker);
  return answers;
}

async function harmlessAnswers(asker: Asker): Promise<HarmlessAnswers> {
  const answers = new Map<OperationName, Exchange>();
  for (const request of harmless) {
    const { name, ask } = request;
    // What many servers fail at is a job that they do not know.
    const exchange = await asker.ask(ask, name === "status" ? isServerError : undefined);
    if (exchange === undefined) continue;
    const isRead = operationNamed[name].method === "GET";
    const byPost = isRead && isOfMethod(exchange) ? await asker.askBy("POST", ask) : undefined;
    const found = byPost === undefined ? exchange : byOtherMethod(asker, exchange, byPost);
    answers.set(name, isRead ? found : await withBody(asker, found, ask));
  }
  return answers;
}

/** Learns that an operation is asked for by POST, where that is answered otherwise than by GET. */
function byOtherMethod({ discovery }: Asker, byGet: Exchange, byPost: Exchange): Exchange {
  const { operation: name } = byGet;
  if (isOfMethod(byPost)) return byGet;
  discovery.learn({
    id: `post-${name}`,
    topic: "method",
    text: `${name} is there for POST alone: GET is answered 405`,
    adapted: "asked for by POST",
    breaks: [askedUnder[name]],
    expected: `${name} to answer GET`,
    deviations: { methods: { [name]: "POST" } },
    seen: [byGet, byPost],
  });
  return byPost;
}

/** What an operation answers that wants a body where none is due: with an empty object, which is learned then. */
async function withBody(asker: Asker, bare: Exchange, ask: Ask): Promise<Exchange> {
  const { operation: name, request, answer } = bare;
  if (request.bodyBytes > 0 || !ofBodies.has(answer?.status ?? 0)) return bare;
  const filled = await asker.askWithBody(ask);
  if (filled?.answer === undefined || shapeOf(filled) === shapeOf(bare)) return bare;
  if (ofBodies.has(filled.answer.status)) return bare;
  const isSame = isAnswerTo([name], (status) => status === answer?.status);
  asker.discovery.learn({
    id: "bodies-needed",
    topic: "bodies",
    text: `a POST without a body is refused: ${answer === undefined ? "" : describeAnswer(answer)}`,
    adapted: "an empty object is sent",
    breaks: [askedUnder[name]],
    expected: `${name} to be carried out without a body`,
    excuses: (_, evidence) => isSame(evidence),
    deviations: { bodiesNeeded: true },
    seen: [bare, filled],
  });
  return filled;
}

/** The statuses with which a body that is missing, or of no known type, is refused. */
const ofBodies = new Set([400, 411, 415, 422]);

function isOfMethod({ answer }: Exchange): boolean {
  return answer?.status === 405;
}

/**
 * Learns which of the operations that no job has shown are missing: those that refuse a stranger as a path where nothing
 * is. One that is there and takes any key does so, too, so that a job is asked for first.
 */
export async function findDoubtful(asker: Asker, answers: HarmlessAnswers): Promise<void> {
  for (const name of asker.discovery.doubtful) {
    const exchange = answers.get(name);
    if (exchange !== undefined && (await isMissingToStrangers(asker, name))) {
      learnMissing(asker.discovery, exchange);
    }
  }
}

/** Purge-queue has an effect wherever it is accepted, so that it is asked for with a wrong key alone. */
async function findPurge(asker: Asker): Promise<void> {
  const exchange = await asker.ask(async (client) => client.withMadeUpKey(wrongKey).purgeQueue());
  if (exchange === undefined) return;
  if (isNowhere(exchange) || isUnimplemented(exchange)) learnMissing(asker.discovery, exchange);
}

/** A job that status knows. */
interface KnownJob {
  readonly jobId: string;
  readonly hasFailed: boolean;
  /** Whether it was at work or waited a moment ago. */
  readonly isUnfinished: boolean;
}

/**
 * Asks the operations of which it is not known whether they are there for a job that status knows. Retry is asked only
 * where the job has not failed, so that it changes nothing.
 * @param answers what each answered for a job that is not there: a stream that answers the same for both is not there
 */
export async function findOfJob(
  asker: Asker,
  { jobId, hasFailed, isUnfinished }: KnownJob,
  answers: HarmlessAnswers,
): Promise<void> {
  const { doubtful } = asker.discovery;
  const ofUnknown = answers.get("stream");
  if (ofUnknown !== undefined && isNowhere(ofUnknown)) doubtful.add("stream");
  doubtful.delete("status");
  const learnOf = (exchange: Exchange | undefined): boolean => {
    const isMissing = exchange !== undefined && isNowhere(exchange);
    if (exchange === undefined || !doubtful.delete(exchange.operation) || !isMissing) return false;
    learnMissing(asker.discovery, exchange);
    return true;
  };
  if (doubtful.has("stream")) learnOf(await asker.ask(async (client) => client.stream(jobId)));
  if (doubtful.has("retry") && !hasFailed)
    learnOf(await asker.ask(async (client) => client.retry(jobId)));
  const cancelled = await asker.ask(async (client) => client.cancel(jobId), isServerError);
  if (!learnOf(cancelled) && cancelled !== undefined && isUnfinished)
    await learnCancel(asker, cancelled);
}

/**
 * Learns that there is no purge-queue from the first one that is sent, where nothing else could show it.
 * @param exchange one with an endpoint that is there
 */
export function learnOfPurge(discovery: Discovery, exchange: Exchange): void {
  const { unknownPath } = discovery;
  if (exchange.operation !== "purge-queue" || unknownPath === undefined) return;
  if (exchange.request.keyName !== "api key") return;
  if (isNowhere(exchange) && shapeOf(exchange) === shapeOf(unknownPath)) {
    learnMissing(discovery, exchange);
  }
}

/** Whether an operation that refuses wrong keys where it is there does not do so. */
async function isMissingToStrangers(asker: Asker, name: OperationName): Promise<boolean> {
  const request = harmless.find((each) => each.name === name);
  if (request === undefined) return false;
  const strange = await asker.ask(async (client) => request.ask(client.withMadeUpKey(wrongKey)));
  return strange !== undefined && isNowhere(strange);
}

/** Learns that the operation of an exchange is missing. */
function learnMissing(discovery: Discovery, exchange: Exchange): void {
  const { operation: name, answer } = exchange;
  const isSame = isAnswerTo([name], (status) => status === answer?.status);
  discovery.learn({
    id: `missing-${name}`,
    topic: "missing",
    text: isUnimplemented(exchange)
      ? `there is no ${name}: ${exchange.request.method} is answered ${String(answer?.status)}`
      : `there is no ${name}: it is answered ${String(answer?.status)}, as a path where nothing is`,
    adapted: "not asked for again",
    breaks: [askedUnder[name]],
    expected: `${operationNamed[name].method} ${name} to be there`,
    excuses: (_, evidence) => isSame(evidence),
    ...(name === "cancel" && { undecides: isOfBusyWorkers }),
    deviations: { lacks: [name] },
    seen: [exchange],
  });
}

/** Whether the server itself says that it does not have what was asked for, or not by this method. */
function isUnimplemented({ answer }: Exchange): boolean {
  return answer?.status === 501 || answer?.status === 405;
}

function isNowhere({ answer }: Exchange): boolean {
  return answer?.status === 404 || answer?.status === 405;
}

function isLikeUnknown(exchange: Exchange, unknown: Unknown): boolean {
  if (isKeyRefusal(exchange.answer)) return false;
  const other = unknown[exchange.request.method === "GET" ? "GET" : "POST"];
  return other !== undefined && shapeOf(exchange) === shapeOf(other);
}
