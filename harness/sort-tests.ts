import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import { monotonicNowMs } from "../client/exchange.ts";
import type { JobClient } from "../client/job-client.ts";
import { bodyOf } from "../client/parsed-body.ts";
import type { JobKind } from "../openapi/capabilities.ts";
import { durationText } from "../reports/words.ts";
import { dialectOf } from "./discovery/learned-dialect.ts";
import { clientAt, openTarget } from "./open-target.ts";
import { openTransport } from "./open-transport.ts";
import { HarnessError } from "./outcome.ts";
import { describeAnswer } from "./read.ts";
import { isFinal, readRecord } from "./record.ts";
import type { LooseRecord } from "./record.ts";
import type { TargetSettings } from "./target.ts";
import type { JobsSource } from "./inputs/jobs-schema.ts";
import type { JobTest } from "./inputs/tests-file.ts";

/** What one test did, and as which kind of job it can serve. */
export interface SortedTest {
  readonly name: string;
  /** What came, in words: `COMPLETED after 1.2 s`. */
  readonly seen: string;
  /** Undefined where it is of no use, or another one serves better. */
  readonly kind: JobKind | undefined;
}

/** The jobs that tests can stand for, and what each of them did. */
export interface SortedTests {
  readonly jobs: JobsSource;
  readonly tests: readonly SortedTest[];
}

/** A job that works longer is a slow one. */
const slowMs = 6000;
/** How much longer a job may take the next time. */
const spread = 3;
const quickMsMin = 5000;
const pollEveryMs = 200;

/** What was seen of the job of a test. */
interface Seen {
  readonly test: JobTest;
  readonly words: string;
  /** Absent where it did not end. */
  readonly record?: LooseRecord;
  readonly workedMs: number;
  readonly chunks: number;
}

/**
 * Runs each test once on an endpoint that was named, one after the other, and tells them apart by what they did: quick,
 * slow, failing or streaming, with the durations seen. The quick one runs twice: with the same output it is a known one.
 * @throws HarnessError where the target cannot be reached, refuses the key, or no endpoint was named
 */
export async function sortTests(
  settings: TargetSettings,
  tests: readonly JobTest[],
  signal: AbortSignal,
): Promise<SortedTests> {
  const target = await openTarget(settings, { learns: false });
  const { rules, discovery, endpointId } = target;
  if (endpointId === undefined) throw noEndpoint();
  const transport = openTransport(rules, discovery, 2);
  const client = clientAt(target, transport).with({ translation: dialectOf(target), signal });
  try {
    const seen: Seen[] = [];
    for (const test of tests) seen.push(await runTest(client, test, signal));
    const quick = quickestOf(seen);
    // The same output twice is taken for the one that it always has.
    const again = quick && (await runTest(client, quick.test, signal));
    const isKnown = isDeepStrictEqual(quick?.record?.["output"], again?.record?.["output"]);
    return sorted(seen, isKnown ? quick : undefined);
  } finally {
    await transport.close();
  }
}

function noEndpoint(): HarnessError {
  return new HarnessError(
    "TARGET_UNREACHABLE",
    "tests can be run only on an endpoint that is named",
    "Give --base-url, --endpoint and --api-key; --control makes endpoints whose handler is known.",
  );
}

async function runTest(client: JobClient, test: JobTest, signal: AbortSignal): Promise<Seen> {
  const begunMs = monotonicNowMs();
  const submitted = await client.run({ input: test.input });
  const given = readRecord(submitted);
  const nothing = { test, workedMs: 0, chunks: 0 };
  if (!given.ok) {
    const { answer } = submitted;
    const came = answer === undefined ? "no answer" : describeAnswer(answer);
    return { ...nothing, words: client.options.redactor.redact(`run answered ${came}`) };
  }
  const { id } = given.body;
  for (;;) {
    const read = readRecord(await client.status(id));
    const passedMs = monotonicNowMs() - begunMs;
    if (read.ok && isFinal(read.body)) return seenOf(client, test, { record: read.body, passedMs });
    if (passedMs > test.timeoutMs || signal.aborted) {
      await client.cancel(id);
      return { ...nothing, words: `it did not end within ${durationText(test.timeoutMs)}` };
    }
    await sleep(pollEveryMs);
  }
}

async function seenOf(
  client: JobClient,
  test: JobTest,
  { record, passedMs }: { readonly record: LooseRecord; readonly passedMs: number },
): Promise<Seen> {
  const { executionTime } = record;
  const workedMs = typeof executionTime === "number" ? executionTime : passedMs;
  const { answer } = await client.stream(record.id);
  const body = answer === undefined ? undefined : bodyOf(answer);
  const chunks = body?.ok === true && Array.isArray(body.value) ? body.value.length : 0;
  const streamed = chunks > 1 ? `, in ${chunks} chunks` : "";
  const said = client.options.redactor.redact(record.status);
  const words = `${said} after ${durationText(Math.round(workedMs))}${streamed}`;
  return { test, record, workedMs, chunks, words };
}

/** The quickest test whose output the API can tell; another one than a streaming job, where there is one. */
function quickestOf(all: readonly Seen[]): Seen | undefined {
  const [quick] = all
    .filter(({ record, workedMs }) => record?.status === "COMPLETED" && workedMs <= slowMs)
    .filter(({ record }) => typeof record?.["output"] === "object" && record["output"] !== null)
    .toSorted(
      (one, other) =>
        Number(one.chunks > 1) - Number(other.chunks > 1) || one.workedMs - other.workedMs,
    );
  return quick;
}

/** The first test of each kind; of the quick ones the quickest. */
function sorted(all: readonly Seen[], known: Seen | undefined): SortedTests {
  const completed = all.filter(({ record }) => record?.status === "COMPLETED");
  const failing = all.find(({ record }) => record?.status === "FAILED");
  const streaming = completed.find(({ chunks }) => chunks > 1);
  const slow = completed.find(({ workedMs }) => workedMs > slowMs);
  const quick = quickestOf(all);
  const atMost = ({ workedMs }: Seen): number => Math.ceil(Math.max(quickMsMin, spread * workedMs));
  const jobs: JobsSource = {
    ...(quick && { quick: { input: quick.test.input, atMostMs: atMost(quick) } }),
    ...(known && {
      known: [
        {
          input: known.test.input,
          output: known.record?.["output"],
          atMostMs: atMost(known),
        },
      ],
    }),
    ...(slow && {
      slow: {
        input: slow.test.input,
        atLeastMs: Math.floor(slow.workedMs / 2),
        atMostMs: atMost(slow),
      },
    }),
    ...(failing && { failing: { input: failing.test.input, atMostMs: atMost(failing) } }),
    ...(streaming && {
      streaming: { input: streaming.test.input, atMostMs: atMost(streaming), chunksAtLeast: 2 },
    }),
  };
  const chosen = { quick, slow, failing, streaming };
  const tests = all.map((seen) => ({
    name: seen.test.name,
    seen: seen.words,
    kind: (["quick", "slow", "failing", "streaming"] as const).find(
      (kind) => chosen[kind] === seen,
    ),
  }));
  return { jobs, tests };
}
