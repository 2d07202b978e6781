import { setTimeout as sleep } from "node:timers/promises";

import type { Exchange } from "../../client/exchange.ts";
import type { Mismatch } from "../../reports/model.ts";
import { givenJobId } from "../evidence/failing.ts";
import type { JobInput } from "../inputs/jobs.ts";
import { describeAnswer, isSuccess } from "../read.ts";
import { submitOperations } from "../jobs/submit.ts";
import { readRecord, showsUnfinished } from "../record.ts";
import { show } from "../show.ts";
import { shapeOf } from "./asker.ts";
import type { Asker } from "./asker.ts";
import type { Learning } from "./discovery.ts";
import { findOfJob } from "./operations.ts";
import type { HarmlessAnswers } from "./operations.ts";
import { isOfLateness } from "./slow-operations.ts";
import { learnOneJob } from "./one-job.ts";
import { isAnswerTo, isSuccessOf } from "./shown-by.ts";
import { unfinishedIn } from "../jobs/counts.ts";

/** Learns the status with which a bad submission is refused, where that is none of the specification's. */
export function learnRefusals({ discovery }: Asker, exchange: Exchange): void {
  const status = exchange.answer?.status ?? 0;
  if (status <= 400 || status >= 500 || statusesOfOtherReasons.has(status)) return;
  const isSame = isAnswerTo(submitOperations, (seen) => seen === status);
  discovery.learn({
    id: `refusals-${status}`,
    topic: "refusals",
    text: `a bad submission is answered ${status} in place of 400`,
    expected: "400",
    explains: ({ expected }, evidence) => isSame(evidence) && /\b400\b/.test(expected),
    dialect: { refusals: [status] },
    seen: [exchange],
  });
}

/** Of the key, of a path or method that is not there, of the body's size or type, of the rate. */
const statusesOfOtherReasons = new Set([401, 403, 404, 405, 408, 413, 415, 429]);

const firstPauseMs = 50;
const pauseMsMax = 400;

/**
 * Submits a job with the first of these inputs that is accepted, learns whether one is and how soon the job's id can be
 * read, and cancels the job.
 */
export async function tryInputs(
  asker: Asker,
  inputs: readonly JobInput[],
  answers: HarmlessAnswers,
): Promise<void> {
  const refused: { readonly input: JobInput; readonly exchange: Exchange }[] = [];
  for (const input of inputs) {
    const exchange = await asker.ask(async (client) => client.run({ input }));
    if (exchange?.answer === undefined) return;
    if (isSuccess(exchange.answer)) {
      await followJob(asker, { input, submitted: exchange }, answers);
      return;
    }
    refused.push({ input, exchange });
  }
  const [first] = refused;
  if (first !== undefined) learnRefused(asker, first);
}

function learnRefused(
  { discovery }: Asker,
  { input, exchange }: { readonly input: JobInput; readonly exchange: Exchange },
): void {
  const { answer } = exchange;
  if (answer === undefined || !isRefusalOfInput(answer.status)) return;
  const said = describeAnswer(answer);
  const isSame = isAnswerTo(submitOperations, (status) => status === answer.status);
  discovery.learn({
    id: "input-refused",
    topic: "input",
    text: `run refuses the input ${show(input)}: ${said}`,
    adapted: "what needs an accepted job is not run: give --input or --jobs",
    excuses: (mismatch, evidence) => isSame(evidence) && !expectsRefusal(mismatch),
    isUsualAnswer: (other) =>
      submitOperations.some((name) => name === other.operation) &&
      shapeOf(other) === shapeOf(exchange),
    undecides: (reason) => reason.includes("has accepted no request yet"),
    excusesReason: (reason) => reason.includes(said) || reason.includes(answeredText(said)),
    seen: [exchange],
  });
}

/** As a failed submission is told in reasons: "run answered 400, {...}". */
function answeredText(said: string): string {
  return said.replace(/^status /, "answered ");
}

function isRefusalOfInput(status: number): boolean {
  return status >= 400 && status < 500 && !statusesOfOtherReasons.has(status);
}

function expectsRefusal({ expected }: Mismatch): boolean {
  return /^(status )?4\d\d\b|\b400\b/.test(expected);
}

/** Reads a new job until it is known, learns how long that took where it is long, and cancels it. */
async function followJob(
  asker: Asker,
  { input, submitted }: { readonly input: JobInput; readonly submitted: Exchange },
  answers: HarmlessAnswers,
): Promise<void> {
  const id = givenJobId(submitted);
  if (id === undefined) return;
  const first = await asker.ask(async (client) => client.status(id));
  if (first === undefined) return;
  const read = await readUntilKnown(asker, id, first);
  const isKnown = read.answer !== undefined && isSuccess(read.answer);
  if (isKnown && read !== first) learnLate(asker, first, read.sentAtMs - submitted.answeredAtMs);
  if (read.answer?.status === 404) asker.discovery.learn(acceptedJobUnknown(first));
  if (!isKnown) {
    // What is answered for a job that is not known does not tell what is there.
    await asker.ask(async (client) => client.cancel(id));
    return;
  }
  const isUnfinished = showsUnfinished(read);
  if (isUnfinished) {
    await learnCounts(asker, id);
    if (mayCancel(asker, answers)) await learnOneJob(asker, { jobId: id, input });
  }
  await findOfJob(asker, { jobId: id, hasFailed: mayBeRetried(read), isUnfinished }, answers);
}

/** Whether cancel seems to be there: a second job that could not be cancelled would be at work when the checks begin. */
function mayCancel({ client, discovery }: Asker, answers: HarmlessAnswers): boolean {
  if (discovery.doubtful.has("cancel") || !answers.has("cancel")) return false;
  return client.options.translation?.obstacle("cancel") === undefined;
}

/**
 * Learns that health counts nothing while a job is unfinished before and after it was asked: whoever waits for its
 * counts would do so in vain.
 */
async function learnCounts(asker: Asker, jobId: string): Promise<void> {
  if (asker.discovery.knows("health-shape") || asker.discovery.knows("missing-health")) return;
  let health: Exchange | undefined;
  for (let looks = 0; looks < countLooks; looks += 1) {
    if (looks > 0) await sleep(countPauseMs);
    health = await asker.ask(async (client) => client.health());
    const after = await asker.ask(async (client) => client.status(jobId));
    if (health === undefined || !showsUnfinished(after) || unfinishedIn(health) !== 0) return;
  }
  if (health === undefined) return;
  asker.discovery.learn({
    id: "health-counts-nothing",
    topic: "health",
    text: "health counts no job in the queue or in progress while one is",
    adapted: "its counts are not used",
    breaks: ["HLTH-02"],
    expected: "the unfinished job to be counted",
    excuses: (_, evidence) => isSuccessOf("health")(evidence),
    excusesReason: (reason) => /\bhealth\b/.test(reason),
    deviations: { lacks: ["health"] },
    seen: [health],
  });
}

/** Counts may come late: they are looked at so often, with such pauses in milliseconds. */
const countLooks = 4;
const countPauseMs = 250;

/** The first read that is not answered 404, or the last one for which there was time. */
async function readUntilKnown(asker: Asker, id: string, first: Exchange): Promise<Exchange> {
  let read = first;
  for (
    let pauseMs = firstPauseMs;
    read.answer?.status === 404;
    pauseMs = Math.min(pauseMsMax, 2 * pauseMs)
  ) {
    if (asker.leftMs <= pauseMs) break;
    await sleep(pauseMs);
    read = (await asker.ask(async (client) => client.status(id))) ?? read;
  }
  return read;
}

/** Whether a job may be in a state in which retry has an effect. */
function mayBeRetried(read: Exchange): boolean {
  const record = readRecord(read);
  return !record.ok || record.body.status === "FAILED" || record.body.status === "TIMED_OUT";
}

/** That a target does not know the job that it has just accepted, which is no fault of the job's. */
export function acceptedJobUnknown(read: Exchange): Learning {
  return {
    id: "accepted-job-unknown",
    topic: "ids",
    text: "status does not know the job that run has just accepted",
    adapted: "no job is waited for",
    breaks: ["STAT-01"],
    expected: "the record of the job",
    seen: [read],
  };
}

/** @param lateMs how long the job was unknown after run had answered */
function learnLate({ discovery }: Asker, first: Exchange, lateMs: number): void {
  // Twice as long, as the next one may take a little longer.
  discovery.idsReadableWithinMs = 2 * lateMs;
  discovery.learn({
    id: "ids-late",
    topic: "ids",
    text: `a job can be read only ${Math.max(0.1, lateMs / 1000).toFixed(1)} s after run gave its id`,
    adapted: "asked again until it is known",
    undecides: isOfLateness,
    seen: [first],
  });
}
