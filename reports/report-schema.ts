import { Type } from "typebox";
import { loadSchema } from "./load/load-schema.ts";
import { timelinesSchema } from "./timeline-schema.ts";
import { verdicts } from "./verdict.ts";

const count = Type.Integer({ minimum: 0 });
const duration = Type.Number({ minimum: 0, description: "Milliseconds." });
const byOperation = Type.Record(Type.String(), count);
const share = Type.Number({ minimum: 0, maximum: 1 });
const verdict = Type.Enum([...verdicts], { description: "See docs/read-a-report.md#verdicts." });
const texts = Type.Array(Type.String());
const counts = Type.Object({
  pass: count,
  fail: count,
  inconclusive: count,
  "not-run": count,
});

const headers = Type.Record(Type.String(), Type.Union([Type.String(), texts]));
const body = Type.Unknown({
  description: "A JSON value, a text where it is none, null where empty.",
});

const evidence = Type.Object({
  request: Type.Object({ method: Type.String(), url: Type.String(), headers, body }),
  response: Type.Union([Type.Null(), Type.Object({ status: Type.Integer(), headers, body })], {
    description: "null where no answer came; error then says why.",
  }),
  error: Type.Optional(Type.String()),
  atMs: Type.Number({ description: "When it was sent, in milliseconds since the run began." }),
  durationMs: Type.Optional(duration),
  job: Type.Optional(Type.String({ description: "The id of the job it is about." })),
  curl: Type.String({
    description: "A command that repeats the exchange; empty where a command alone cannot.",
  }),
});

const mismatch = Type.Object({
  requirement: Type.String(),
  at: Type.String(),
  expected: Type.String(),
  got: Type.String(),
  exchange: Type.Optional(
    Type.Integer({ minimum: 0, description: "Which of the check's evidence shows it, from 0." }),
  ),
});

const deviations = Type.Array(
  Type.Object({ requirement: Type.String(), what: Type.String(), seen: Type.String() }),
  {
    description:
      "What the target does otherwise than the specification, and its dialect lets pass.",
  },
);

const attempts = Type.Array(Type.Object({ verdict, reason: Type.String(), durationMs: duration }), {
  description: "The tries before this one, first to last, each of which could not decide.",
});

const dropped = Type.Array(
  Type.Object({
    request: Type.String({ description: "Method and path." }),
    error: Type.String(),
    times: Type.Integer({ minimum: 1, description: "How often it was sent without an answer." }),
  }),
  { description: "The requests that were answered only when they were sent again." },
);

const atMs = Type.Number({ description: "In milliseconds after the start of the run." });

const targetGone = Type.Object(
  { request: Type.String(), atMs, reason: Type.String() },
  { description: "The target stopped answering for good: the first request without an answer." },
);

const outages = Type.Array(
  Type.Object({
    lastAnswerAtMs: atMs,
    backAtMs: atMs,
    check: Type.String(),
    request: Type.String(),
  }),
  { description: "Times in which the target did not answer, and after which it did again." },
);

const settings = Type.Object(
  {
    timeBudgetMs: Type.Optional(Type.Number({ description: "Absent: without limit." })),
    timeoutMs: Type.Optional(duration),
    webhookPort: Type.Optional(Type.Integer()),
    jobs: Type.Optional(Type.Unknown({ description: "The jobs of the endpoint's own workers." })),
    plain: Type.Optional(Type.Boolean({ description: "Of client: without TLS alone." })),
    driver: Type.Optional(
      Type.Literal("polls", { description: "Of client: the program's own pauses are not judged." }),
    ),
    tests: Type.Optional(Type.String({ description: "Of worker: the path of its tests." })),
    dialectFile: Type.Optional(
      Type.String({ description: "The path of a dialect of one's own, as it was given." }),
    ),
  },
  { description: "What else the run was told that `replay` has to know." },
);

const cause = Type.Object({
  id: Type.String({ description: "Stable from run to run." }),
  text: Type.String({ description: "One sentence about the target." }),
  requirements: Type.Array(Type.String(), {
    description: "Those that it breaks, and those that it keeps from being decided.",
  }),
  checks: count,
  adapted: Type.Optional(Type.String({ description: "How the rest of the run went on." })),
  dialect: Type.Optional(Type.Unknown({ description: "The deviations that describe it." })),
  evidence: Type.Array(evidence),
});

const causes = Type.Array(cause, {
  description:
    "What several failures, or requirements that could not be decided, have in common; what was learned of the target comes first.",
});

const learned = Type.Array(
  Type.Object({
    topic: Type.String({ description: "What it is about: path, key, refusals, webhooks, ..." }),
    text: Type.String(),
    cause: Type.Optional(Type.String({ description: "The id of its cause, where it has one." })),
    adapted: Type.Optional(Type.String()),
  }),
  { description: "What the run learned of the target before it judged, in a sentence each." },
);

const causeId = Type.Optional(
  Type.String({ description: "The cause among `causes` that explains it." }),
);

const check = Type.Object({
  name: Type.String({ description: "Unique among the checks of a report." }),
  title: Type.Optional(Type.String()),
  verdict,
  durationMs: duration,
  reason: Type.Optional(Type.String()),
  cause: causeId,
  attempts: Type.Optional(attempts),
  dropped: Type.Optional(dropped),
  mismatches: Type.Optional(Type.Array(mismatch)),
  steps: Type.Optional(texts),
  printed: Type.Optional(
    Type.Array(Type.String(), {
      description: "What the program that was judged printed meanwhile, line by line.",
    }),
  ),
  script: Type.Optional(Type.String({ description: "A shell script that repeats the exchanges." })),
  evidence: Type.Array(evidence),
  timelines: Type.Optional(timelinesSchema),
});

const bytes = Type.Integer({ minimum: 0 });
const milliseconds = Type.Union([duration, Type.Null()]);

const worker = Type.Object(
  {
    coldStartMs: duration,
    tests: Type.Array(
      Type.Object({
        name: Type.String(),
        outcome: Type.String({ description: "`as expected`, or what came instead." }),
        runs: count,
        firstMs: Type.Union(milliseconds.anyOf, { description: "Null: no worker took it." }),
        laterMs: Type.Union(milliseconds.anyOf, { description: "The median of the later runs." }),
        resultBytes: bytes,
        peakMemoryBytes: Type.Optional(bytes),
      }),
    ),
    memoryBytes: Type.Array(bytes, { description: "After each of the jobs of one input." }),
    told: Type.Optional(
      Type.Array(Type.String(), { description: "What is no fault, and worth knowing." }),
    ),
  },
  { description: "Of worker: the figures of its tests." },
);

const profiles = Type.Array(
  Type.Object({
    name: Type.String(),
    verdict: Type.Enum(["conformant", "broken", "partly", "untested"]),
    pass: count,
    of: count,
    extended: Type.Optional(
      Type.Object(
        { pass: count, of: count },
        { description: "How much was seen of what takes more than a plain server." },
      ),
    ),
    missing: Type.Array(Type.String(), {
      description:
        "The requirements that failed, then those of the base that are not open and were not decided.",
    }),
  }),
  { description: "See docs/read-a-report.md#profiles. Absent in reports of earlier versions." },
);

const specification = Type.Object(
  {
    name: Type.String(),
    version: Type.String({ description: "Of the catalogue: its requirements and profiles." }),
    requirementsSha256: Type.String({ pattern: "^[0-9a-f]{64}$" }),
  },
  { description: "What the target was held to. Absent in reports of earlier versions." },
);

const shares = Type.Object(
  { decided: share, held: Type.Optional(share) },
  {
    description:
      "Which share of the requirements was decided here, and which share of these held; absent where none was decided.",
  },
);

const requirement = Type.Object({
  id: Type.String({ pattern: "^[A-Z0-9]{4}-[0-9]{2}$" }),
  area: Type.String({ minLength: 1 }),
  level: Type.Enum(["must", "implied", "open"]),
  text: Type.String(),
  section: Type.String(),
  needs: Type.Optional(texts),
  accepts: Type.Optional(texts),
  verdict,
  reason: Type.Optional(Type.String({ description: "Why it is not a pass." })),
  cause: causeId,
  allowed: Type.Optional(
    Type.Literal(true, { description: "Not decided, and told that it need not be." }),
  ),
  known: Type.Optional(
    Type.String({
      description: "A failure that a baseline expects: the reason that stands there.",
    }),
  ),
  reading: Type.Optional(Type.String({ description: "Only of an open entry: what was seen." })),
  observed: Type.Optional(
    Type.Record(Type.String(), count, {
      description: "Only of traffic: how often it was seen to hold, by operation.",
    }),
  ),
  deviations: Type.Optional(deviations),
  checks: Type.Array(check),
});

/**
 * The schema of report.json, printed in `report.schema.json` beside this file. No object is closed, because later
 * versions add members.
 */
export const reportSchema = Type.Object(
  {
    schema: Type.Literal("queueproof-report/1"),
    tool: Type.Object({
      name: Type.Literal("queueproof"),
      version: Type.String(),
      node: Type.Optional(Type.String()),
    }),
    specification: Type.Optional(specification),
    command: Type.String(),
    seed: Type.Integer(),
    startedAt: Type.String({
      pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$",
    }),
    durationMs: duration,
    interrupted: Type.Optional(Type.Literal(true)),
    targetGone: Type.Optional(targetGone),
    outages: Type.Optional(outages),
    dialect: Type.Optional(Type.String()),
    target: Type.Object({
      baseUrl: Type.String(),
      endpointId: Type.String(),
      capabilities: texts,
      controlUrl: Type.Optional(Type.String()),
      embedded: Type.Optional(Type.Literal(true)),
    }),
    settings: Type.Optional(settings),
    profiles: Type.Optional(profiles),
    summary: Type.Object({ requirements: counts, checks: counts, shares: Type.Optional(shares) }),
    deviations: Type.Optional(deviations),
    learned: Type.Optional(learned),
    causes: Type.Optional(causes),
    requirements: Type.Array(requirement),
    load: Type.Array(loadSchema),
    worker: Type.Optional(worker),
    cleanedUp: Type.Optional(
      Type.Object(
        { purged: count, cancelled: count, left: Type.Optional(count) },
        {
          description:
            "What became of the jobs that load left: purged, cancelled, and still there at the end, where health tells.",
        },
      ),
    ),
    sent: Type.Optional(
      Type.Object(
        { requests: byOperation, jobs: byOperation },
        { description: "What load sent: requests, and jobs that were accepted." },
      ),
    ),
    integrity: Type.Optional(
      Type.Object(
        { algorithm: Type.Literal("sha-256"), digest: Type.String({ pattern: "^[0-9a-f]{64}$" }) },
        { description: "Digest of the canonical JSON (RFC 8785) of everything else." },
      ),
    ),
  },
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "queueproof-report/1",
  },
);
