import { finalStates } from "../../harness/record.ts";
import { askedFor, jsonOf, memberOf, placeOf, queryOf } from "../recording/recorded-exchange.ts";
import type { AskedFor, RecordedExchange } from "../recording/recorded-exchange.ts";
import { breach } from "../decision.ts";
import { repeatsOf, tooFastMs } from "./repeats.ts";
import { ofEach, operationOf } from "./traffic-rule.ts";
import type { ClientTraffic, Shown, TrafficRule } from "./traffic-rule.ts";

// How soon and how often a client asks again (docs/specification.md#errors, #limits).

/** Waits that are this long need not grow. */
const longWaitMs = 10_000;

/** Waits between the answer of a refusal and the same request again. */
function waitsOf(chain: readonly RecordedExchange[]): readonly number[] {
  return chain.slice(1).map((exchange, index) => {
    const refused = chain[index];
    return exchange.arrivedMs - (refused?.answer?.beganMs ?? exchange.arrivedMs);
  });
}

const waitsAfterRefusal: TrafficRule = {
  requirement: "CLNT-10",
  shownBy: "a request that was answered 429 and sent again",
  observe: ({ exchanges }) =>
    repeatsOf(exchanges, 429)
      .filter(({ length }) => length > 1)
      .map(hasteIn),
};

/** What is wrong with the waits between the refusals of one request. */
function hasteIn(chain: readonly RecordedExchange[]): Shown {
  const waits = waitsOf(chain);
  const [first] = chain;
  const at = `${first?.method} ${first?.target}, answered 429`;
  const fast = waits.findIndex((ms) => ms < tooFastMs);
  if (fast >= 0) {
    const told = `sent again after ${Math.round(waits[fast] ?? 0)} ms`;
    return breach(at, `a pause of ${tooFastMs} ms or more`, told, chain[fast + 1]);
  }
  if (!isFasterLater(waits) || chain.some((each) => retryAfterMs(each) !== undefined))
    return "holds";
  const told = waits.map((ms) => `${(ms / 1000).toFixed(1)} s`).join(", ");
  return breach(at, "pauses that do not get shorter", told, chain.at(-1));
}

/** Both of the latest waits are less than half of both of the first: jitter does not look like that. */
function isFasterLater(waits: readonly number[]): boolean {
  if (waits.length < 5) return false;
  const [first, late] = [waits.slice(0, 2), waits.slice(-2)];
  return Math.max(...late) < Math.min(...first) / 2 && Math.max(...late) < longWaitMs;
}

function retryAfterMs({ answer }: RecordedExchange): number | undefined {
  const told = answer?.headers["retry-after"];
  if (told === undefined || answer === undefined) return undefined;
  if (/^\d+$/.test(told)) return 1000 * Number(told);
  const at = Date.parse(told);
  return Number.isNaN(at) ? undefined : Math.max(0, at - answer.beganMs);
}

/** Clocks of timers are not finer than this. */
const timerMs = 50;

const keepsRetryAfter: TrafficRule = {
  requirement: "CLNT-11",
  shownBy: "a 429 with Retry-After, and the same path asked again",
  observe: ({ exchanges }) => {
    const byPath = new Map<string, RecordedExchange[]>();
    for (const exchange of exchanges) {
      const key = placeOf(exchange);
      byPath.set(key, [...(byPath.get(key) ?? []), exchange]);
    }
    return [...byPath].flatMap(([at, list]) =>
      list.map((refused, index) => obedienceTo(refused, list.slice(index + 1), at)),
    );
  },
};

/** Whether what came after a refusal kept to its Retry-After; undefined where nothing came, or it told none. */
function obedienceTo(
  refused: RecordedExchange,
  later: readonly RecordedExchange[],
  at: string,
): Shown {
  const { answer } = refused;
  const waitMs = answer?.status === 429 ? retryAfterMs(refused) : undefined;
  if (answer === undefined || waitMs === undefined) return undefined;
  const next = later.find(({ arrivedMs }) => arrivedMs >= answer.endedMs);
  if (next === undefined) return undefined;
  const waitedMs = next.arrivedMs - answer.beganMs;
  if (waitedMs >= waitMs - timerMs) return "holds";
  const got = `sent again after ${(waitedMs / 1000).toFixed(1)} s`;
  return breach(at, `a pause of ${waitMs / 1000} s, as Retry-After told`, got, next);
}

/** What an answer shows of a job's state. */
function stateIn(exchange: RecordedExchange): string | undefined {
  const { answer } = exchange;
  if (answer === undefined || answer.status !== 200 || exchange.brokenOff !== undefined)
    return undefined;
  const status = memberOf(jsonOf(answer.body), "status");
  return typeof status === "string" ? status : undefined;
}

interface JobReads {
  readonly reads: RecordedExchange[];
  /** When its final state was first shown in full; undefined where it never was. */
  finalShownMs: number | undefined;
}

/** The reads of each job after which nothing began anew. */
function readsByJob(traffic: ClientTraffic): readonly JobReads[] {
  const jobs = new Map<string, JobReads>();
  for (const exchange of traffic.exchanges) {
    const asked = askedFor(exchange, traffic.routes);
    const id = asked === undefined ? undefined : idIn(exchange, asked);
    if (asked === undefined || id === undefined) continue;
    const key = `${asked.endpointId} ${id}`;
    const isAnew = asked.operation === "retry";
    const job = (isAnew ? undefined : jobs.get(key)) ?? { reads: [], finalShownMs: undefined };
    jobs.set(key, job);
    addTo(job, asked, exchange);
  }
  return [...jobs.values()];
}

function addTo(job: JobReads, { operation }: AskedFor, exchange: RecordedExchange): void {
  if (operation === "status" || operation === "stream") job.reads.push(exchange);
  const isFinal = finalStates.includes(stateIn(exchange) ?? "");
  if (isFinal && operation !== "cancel") job.finalShownMs ??= exchange.answer?.endedMs;
}

/** The job that a request is about: that of its path, or the one that it submitted. */
function idIn({ answer }: RecordedExchange, asked: AskedFor): string | undefined {
  if (asked.jobId !== undefined) return asked.jobId;
  const id = memberOf(jsonOf(answer?.body ?? noBody), "id");
  return typeof id === "string" ? id : undefined;
}

const noBody = { bytes: Buffer.alloc(0), kind: "unknown" } as const;

const endsAtTheEnd: TrafficRule = {
  requirement: "CLNT-24",
  shownBy: "an answer with a job's final state",
  observe: (traffic) =>
    readsByJob(traffic).map(({ reads, finalShownMs }) => {
      if (finalShownMs === undefined) return undefined;
      const after = reads.filter(({ arrivedMs }) => arrivedMs > finalShownMs);
      const ofStatus = after.filter((each) => operationOf(each, traffic) === "status");
      const [, extra = emptyReads(after, traffic)[2]] = ofStatus;
      if (extra === undefined) return "holds";
      return breach(
        `${extra.method} ${extra.target}`,
        "nothing more after the final state, but one read of the result and the stream's rest",
        `${after.length} more reads`,
        extra,
      );
    }),
};

/** Reads of a stream that brought nothing. */
function emptyReads(
  reads: readonly RecordedExchange[],
  traffic: ClientTraffic,
): readonly RecordedExchange[] {
  return reads.filter((each) => {
    if (operationOf(each, traffic) !== "stream") return false;
    const body = jsonOf(each.answer?.body ?? noBody);
    const chunks = Array.isArray(body) ? body : memberOf(body, "stream");
    return Array.isArray(chunks) && chunks.length === 0;
  });
}

const readsPerSecondMax = 10;
/** An answer that took this long was held back by the server, which set the pace. */
const heldMs = 100;

const pausesBetweenReads: TrafficRule = {
  requirement: "CLNT-25",
  shownBy: "two reads of the same job",
  observe: (traffic) =>
    readsByJob(traffic).map(({ reads }) => {
      if (reads.length < 2) return undefined;
      const empty = new Set(emptyReads(reads, traffic));
      const counted = reads.filter((each) => {
        const tookMs = (each.answer?.beganMs ?? each.arrivedMs + heldMs) - each.arrivedMs;
        const isStream = operationOf(each, traffic) === "stream";
        return tookMs < heldMs && (!isStream || empty.has(each));
      });
      const crowd = counted.find((each, index) => {
        const tenth = counted[index + readsPerSecondMax];
        return tenth !== undefined && tenth.arrivedMs - each.arrivedMs < 1000;
      });
      if (crowd === undefined) return "holds";
      const from = crowd.arrivedMs;
      const many = counted.filter(({ arrivedMs }) => arrivedMs >= from && arrivedMs < from + 1000);
      return breach(
        `${crowd.method} ${crowd.target}`,
        `at most ${readsPerSecondMax} reads a second`,
        `${many.length} in one second`,
        crowd,
      );
    }),
};

const defaultWaitMs = 90_000;

const waitsForRunsync: TrafficRule = {
  requirement: "CLNT-31",
  shownBy: "a runsync whose answer was held for its wait, or for 90 s of a longer one",
  observe: ofEach((exchange, traffic) => {
    if (operationOf(exchange, traffic) !== "runsync") return undefined;
    const waitMs = Number(queryOf(exchange, "wait") ?? defaultWaitMs);
    const { brokenOff, arrivedMs, answer } = exchange;
    if (brokenOff?.by === "client" && brokenOff.atMs - arrivedMs < waitMs - timerMs) {
      const waited = ((brokenOff.atMs - arrivedMs) / 1000).toFixed(1);
      return breach(
        `${exchange.method} ${exchange.target}`,
        `the answer awaited for ${waitMs / 1000} s`,
        `the client broke off after ${waited} s`,
        exchange,
      );
    }
    const heldForMs = (answer?.beganMs ?? arrivedMs) - arrivedMs;
    return heldForMs >= Math.min(waitMs, defaultWaitMs) - 1000 ? "holds" : undefined;
  }),
};

const retriesWhatFailed: TrafficRule = {
  requirement: "CLNT-60",
  shownBy: "a retry of a job whose state was shown before",
  observe: ({ exchanges, routes }) => {
    const states = new Map<string, string>();
    return exchanges.map((exchange) => {
      const asked = askedFor(exchange, routes);
      const id = asked === undefined ? undefined : idIn(exchange, asked);
      if (id === undefined) return undefined;
      const before = states.get(id);
      const state = stateIn(exchange);
      if (state !== undefined) states.set(id, state);
      if (asked?.operation !== "retry" || before === undefined) return undefined;
      if (before === "FAILED" || before === "TIMED_OUT") return "holds";
      const at = `${exchange.method} ${exchange.target}`;
      return breach(at, "a job that is FAILED or TIMED_OUT", before, exchange);
    });
  },
};

export const paceRules: readonly TrafficRule[] = [
  waitsAfterRefusal,
  keepsRetryAfter,
  endsAtTheEnd,
  pausesBetweenReads,
  waitsForRunsync,
  retriesWhatFailed,
];
