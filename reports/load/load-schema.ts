import { Type } from "typebox";

const count = Type.Integer({ minimum: 0 });
const duration = Type.Number({ minimum: 0, description: "Milliseconds." });
const counts = Type.Array(count);
const times = Type.Array(Type.Union([duration, Type.Null()]));

const spread = Type.Object({
  count,
  p50Ms: duration,
  p90Ms: duration,
  p95Ms: duration,
  p99Ms: duration,
  maxMs: duration,
  histogram: Type.Object({ uptoMs: Type.Array(duration), counts }),
});

const series = Type.Object({
  name: Type.String(),
  operation: Type.Optional(Type.String()),
  clock: Type.Enum(["real", "virtual"]),
  requests: count,
  fromMs: Type.Number(),
  binMs: Type.Number({ exclusiveMinimum: 0 }),
  bins: Type.Object(
    {
      sent: counts,
      accepted: counts,
      refused: counts,
      failed: Type.Optional(counts),
      inFlight: counts,
      p50Ms: times,
      p99Ms: times,
      lateMs: Type.Optional(times),
    },
    { description: "Lists of one length: a bin of binMs each, from fromMs, by time of sending." },
  ),
  latency: Type.Optional(spread),
  scheduleError: Type.Optional(spread),
  limit: Type.Optional(Type.Number()),
  windowMs: Type.Optional(Type.Number()),
  windows: Type.Optional(Type.Array(Type.Object({ fromMs: Type.Number(), toMs: Type.Number() }))),
  cap: Type.Optional(Type.Number()),
  bands: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), fromMs: Type.Number(), toMs: Type.Number() }), {
      description: "Times in which something was done to the target, such as a fault.",
    }),
  ),
});

const statement = Type.Object(
  {
    id: Type.String(),
    text: Type.String(),
    verdict: Type.Enum(["pass", "fail", "inconclusive", "not-run"]),
    looked: Type.Integer({ minimum: 0, description: "How many jobs it was looked at for." }),
    by: Type.Enum(["ledger", "records"], {
      description: "Whether workers told what they processed, or records alone did.",
    }),
    reason: Type.Optional(Type.String()),
    jobs: Type.Optional(
      Type.Array(
        Type.Object({
          job: Type.String(),
          why: Type.String(),
          sentMs: Type.Optional(
            Type.Number({ description: "When it was submitted, on the clock of the series." }),
          ),
        }),
        { description: "The first jobs that break it, each with how." },
      ),
    ),
  },
  { description: "One sentence about what a fault under load may not do." },
);

const curvePoint = Type.Object({
  perSecond: Type.Number({ description: "Requests that were planned in a second." }),
  p50Ms: duration,
  p95Ms: duration,
  p99Ms: duration,
  refused: count,
  failed: Type.Integer({ minimum: 0, description: "Answers of 5xx, and none." }),
});

const hook = Type.Object(
  {
    name: Type.String(),
    durationMs: duration,
    output: Type.String(),
    failed: Type.Optional(Type.String()),
  },
  { description: "A command of the owner that brought a fault about, or ended it." },
);

const fit = Type.Object({
  kind: Type.String(),
  limit: Type.Number(),
  windowMs: Type.Number(),
  differences: Type.Number({ description: "0 where it explains all that was admitted." }),
});

const limiter = Type.Object({
  operation: Type.String(),
  best: fit,
  others: Type.Array(fit),
  window: Type.Optional(Type.Object({ shortestMs: Type.Number(), longestMs: Type.Number() })),
});

const offeredMix = Type.Object(
  {
    arrival: Type.Enum(["even", "poisson"]),
    perSecond: Type.Record(Type.String(), Type.Number()),
    jobs: Type.Record(Type.String(), Type.Number()),
    promises: Type.Array(
      Type.Object({
        name: Type.String(),
        subject: Type.String(),
        measure: Type.Enum(["latency", "errors", "queueDelay", "completion", "firstChunk"]),
        share: Type.Number(),
        bound: Type.Number(),
      }),
    ),
  },
  { description: "The owner's mix, and what is promised of its answers." },
);

/** One load scenario of report.json. */
export const loadSchema = Type.Object({
  scenario: Type.String(),
  engine: Type.Enum(["k6", "autocannon", "probe"]),
  figures: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()])),
  requirements: Type.Array(Type.String()),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "What was seen beside the verdict, such as a wrong Retry-After; it fails nothing.",
    }),
  ),
  series: Type.Optional(Type.Array(series)),
  limiter: Type.Optional(limiter),
  points: Type.Optional(
    Type.Object(
      {
        file: Type.String({ description: "Relative to the folder of the report." }),
        runner: Type.Integer({ minimum: 1 }),
        runners: Type.Integer({ minimum: 1 }),
        asked: Type.Optional(
          Type.Object(
            {
              durationMs: Type.Number(),
              scale: Type.Number(),
              capabilities: Type.Array(Type.String()),
              mix: Type.Optional(offeredMix),
            },
            { description: "The size in which a scenario ran, so that it can be judged anew." },
          ),
        ),
        undecided: Type.Optional(
          Type.String({ description: "Why what this runner did counts for nothing." }),
        ),
      },
      { description: "Of one of several runners of a test: where every value it measured stands." },
    ),
  ),
  statements: Type.Optional(Type.Array(statement)),
  hooks: Type.Optional(Type.Array(hook)),
  curve: Type.Optional(
    Type.Array(curvePoint, { description: "Rates against percentiles, the lowest rate first." }),
  ),
  question: Type.Optional(Type.String()),
  answer: Type.Optional(Type.String()),
  verdict: Type.Optional(Type.Enum(["pass", "fail", "inconclusive", "not-run"])),
  reason: Type.Optional(Type.String()),
});
