import { isOperationName } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import {
  arrivals,
  atMost,
  engineDemandsOf,
  figure,
  iterationsOf,
  offersOperation,
  soundAnswers,
} from "../scenario.ts";
import type {
  Arrivals,
  Demand,
  Measure,
  OfferedMix,
  Promised,
  ReadFigure,
  Scenario,
  ScenarioPlan,
  ScenarioSize,
} from "../scenario.ts";

/** Requests of each operation in a second, where no mix was given. */
export const defaultRates = {
  run: 8,
  runsync: 4,
  status: 10,
  stream: 2,
  cancel: 1,
  retry: 0.5,
  health: 1,
} as const satisfies Partial<Record<OperationName, number>>;

const defaultMix: OfferedMix = {
  arrival: "even",
  perSecond: defaultRates,
  jobs: { quick: 1 },
  promises: [],
};

/** Sends the owner's mix, and holds answers to the owner's objectives; several processes can share it. */
export const mixByK6: Scenario = {
  name: "mix-k6",
  question: "Are your objectives about answers kept under your mix of operations, sent by k6?",
  limits: "each objective of an answer's time or of errors; without one of errors no 5xx",
  needs: ["quick"],
  durationMs: 30_000,
  endpoint: { workers: 5, clock: "real" },
  takesMix: true,
  plan,
  derive,
  answer: ({ sent = 0, "ms p95": p95 = 0, errors = 0, "5xx": broken = 0 }) =>
    broken === 0
      ? `Yes: ${sent} requests, 95 % answered within ${p95} ms of their planned moment, ${errors} of them errors.`
      : `No: ${broken} of ${sent} requests were answered 5xx.`,
};

/** The rates are those of a minute, since k6 knows whole numbers alone. */
const windowMs = 60_000;
/** As many as arrive in so many seconds may be in flight: the rest of a longer stall is not sent, and nothing is decided. */
const stallSeconds = 5;
const inFlightMin = 10;

function plan(size: ScenarioSize): ScenarioPlan {
  const { perSecond, jobs, promises } = size.mix ?? defaultMix;
  const operations = Object.keys(perSecond)
    .filter(isOperationName)
    .filter((operation) => (perSecond[operation] ?? 0) > 0 && offersOperation(size, operation));
  const phases = operations.map((name) => phaseOf(size, name, perSecond[name] ?? 0));
  const measured = promises.filter(
    ({ subject, measure }) =>
      (measure === "latency" || measure === "errors") &&
      (subject === "mix" || operations.some((name) => name === subject)),
  );
  const sentBy = (...names: readonly string[]): number =>
    iterationsOf(phases.filter(({ name }) => names.includes(name)));
  // A job to cancel is submitted before each cancel; two or three are made to be read and retried.
  const requests = iterationsOf(phases) + sentBy("cancel") + 3;
  const promisesErrors = measured.some(({ measure }) => measure === "errors");
  return {
    cost: {
      requests,
      jobs: sentBy("run", "runsync", "cancel") + 3,
      durationMs: size.durationMs,
      peakPerSecond: Math.ceil(requests / (size.durationMs / 1_000)),
      inFlightMax: phases.reduce((sum, each) => sum + each.inFlightMax, 0),
    },
    phases,
    demands: [
      ...phases.flatMap((phase) => engineDemandsOf(phase, punctualityFor(phase, measured))),
      ...measured.map(demandOf),
      ...(promisesErrors ? [] : soundAnswers),
    ],
    figures: [
      figure("sent", "requests_sent"),
      figure("accepted", "requests_accepted"),
      figure("refused", "requests_refused"),
      figure("5xx", "requests_broken"),
      figure("errors", "request_errors"),
      figure("ms p95", "since_planned", "p95"),
      ...phases.flatMap(({ name }) => [
        figure(`${name} requests`, partOf("requests_sent", name)),
        figure(`${name} errors`, partOf("request_errors", name)),
        figure(`${name} ms p95`, partOf("since_planned", name), "p95"),
      ]),
    ],
    promises,
    values: Object.fromEntries(Object.entries(jobs).map(([kind, part]) => [`jobs ${kind}`, part])),
  };
}

function phaseOf(size: ScenarioSize, name: OperationName, perSecond: number): Arrivals {
  return arrivals(size, {
    name,
    does: name,
    windowMs,
    perWindow: Math.max(1, Math.round(perSecond * size.scale * (windowMs / 1_000))),
    inFlightMax: Math.max(inFlightMin, Math.ceil(perSecond * size.scale * stallSeconds)),
  });
}

/** Latencies count from the planned moment: requests that are late by more than a share of the bound hide the rest. */
function punctualityFor({ name }: Arrivals, promises: readonly Promised[]) {
  const bounds = promises
    .filter(({ subject, measure }) => measure === "latency" && [name, "mix"].includes(subject))
    .map(({ bound }) => Math.max(lateMsMin, lateShareMax * bound));
  return { measure: "p95", ms: Math.min(1_000, ...bounds) } as const;
}

const lateMsMin = 5;
const lateShareMax = 0.2;

function partOf(metric: string, subject: string): string {
  return subject === "mix" ? metric : `${metric}{op:${subject}}`;
}

function demandOf(promise: Promised): Demand {
  const { name, subject, share, bound } = promise;
  if (promise.measure === "errors") {
    return atMost(bound * 100, `errors.${subject}`, `% of ${subject} are errors`, { promise });
  }
  const measure = measureOf(share);
  return atMost(bound, partOf("since_planned", subject), `ms, ${name}`, { measure, promise });
}

function measureOf(share: number): Measure {
  if (share === 1) return "max";
  return share === 0.5 ? "med" : `p${Number((share * 100).toFixed(1))}`;
}

/** The share of errors, in percent, of each operation and of all. */
function derive(read: ReadFigure, { phases }: ScenarioPlan): Readonly<Record<string, number>> {
  const subjects = ["mix", ...phases.map(({ name }) => name)];
  return Object.fromEntries(
    subjects.map((subject) => {
      const sent = read(partOf("requests_sent", subject), "count") ?? 0;
      const errors = read(partOf("request_errors", subject), "count") ?? 0;
      return [`errors.${subject}`, sent === 0 ? 0 : (errors / sent) * 100];
    }),
  );
}
