import type { Reason } from "../reason.ts";
import {
  CLOSED_BY_CONTROL,
  KEPT_IN_A_FILE,
  NOT_SHOWN,
  NO_ERROR_IS_STATED,
  NO_REAL_WORKERS,
  UNASKED,
  because,
} from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because("reference/execution.ts", CLOSED_BY_CONTROL, [
    { within: "Execution.close", mutator: "BlockStatement" },
  ]),
  ...because("reference/execution.ts", NO_REAL_WORKERS, [
    ["fleet !== undefined && !fleet.hasOffer", "false"],
    ["fleet?.canTake(job.id) === false", "false"],
    { within: "Execution.#firstThatCanGo.others" },
  ]),
  ...because(
    "reference/execution.ts",
    "Which worker it was is told to the owner of a handler alone.",
    [
      { within: "Execution.#start.workerNumber" },
      ["`worker-${workerNumber}`", "``"],
      { within: "Execution.#finish", original: 'ending.kind === "died"' },
      { within: "Execution.#finish", original: '"died"' },
      { within: "Execution.#releaseWorker", original: "run.workerNumber !== undefined" },
    ],
  ),
  ...because("reference/execution.ts", NO_ERROR_IS_STATED, [
    ["`executionTimeout of ${timeoutMs} ms exceeded`", "``"],
    ["{ error: `executionTimeout of ${timeoutMs} ms exceeded` }", "{}"],
    ["{ error: lifecycle.lostError(job) }", "{}"],
  ]),
  ...because("reference/endpoint.ts", CLOSED_BY_CONTROL, [{ within: "Endpoint.close" }]),
  ...because("reference/endpoint.ts", KEPT_IN_A_FILE, [
    { within: "Endpoint.restore*" },
    { within: "Endpoint.#restoreTimers" },
    { within: "Endpoint.giveUp" },
    { within: "Endpoint.plan" },
    { within: "Endpoint.origin" },
    ["this.#sequence += 1", "this.#sequence -= 1"],
  ]),
  ...because("reference/execution.ts", UNASKED, [
    { within: "Execution.runUnseen*" },
    { within: "Execution.#beginBuiltIn", original: "{ report.ended(ending); return noWork; }" },
    ["ending !== undefined", "false"],
    ["countsAsWaiting(job)", "true"],
    ["behaviour.lifecycle.freesWorker(job, event)", "true"],
    ["!this.#host.behaviour.lifecycle.entersQueue(job)", "false"],
    {
      within: "Execution.interrupt",
      original: "lifecycle.stopsHandler(job, event)",
      replacement: "true",
    },
    {
      within: "Execution.interrupt",
      original: "lifecycle.freesWorker(job, event)",
      replacement: "true",
    },
    { within: "noWork" },
  ]),
  ...because("reference/execution.ts", NO_REAL_WORKERS, [
    { within: "Execution.constructor", original: "() => this.dispatch()" },
    { within: "Execution.#takeNext", original: "!fleet.hasOffer" },
    { within: "Execution.#takeNext", original: "false" },
    { within: "Execution.#begin.report.progress" },
    { within: "Execution.#begin.{*" },
    { within: "Execution.#begin", original: "fleet === undefined", replacement: "true" },
    ["next === undefined || fleet === undefined || fleet.canTake(next.id)", "true"],
    { within: "Execution.#firstThatCanGo", original: "next === undefined" },
  ]),
  ...because(
    "reference/execution.ts",
    "Which worker it was is told to the owner of a handler alone.",
    [{ within: "Execution.#freeNumbers" }],
  ),
  ...because("reference/execution.ts", "The conformance handler yields objects alone.", [
    ["[output]", "[]"],
  ]),
  ...because("reference/execution.ts", "Which piece of a chunk is the last is told to nobody.", [
    ["isLastChunk && at === pieces.length - 1", "isLastChunk || at === pieces.length - 1"],
    ["isLastChunk && at === pieces.length - 1", "true"],
    ["isLastChunk && at === pieces.length - 1", "false"],
    { within: "Execution.#keepChunk", original: "at === pieces.length - 1" },
    { within: "Execution.#keepChunk", original: "pieces.length - 1" },
  ]),
  ...because(
    "reference/execution.ts",
    "A job in progress has its timeout, but for the moment in which it begins.",
    [{ within: "Execution.interrupt", original: "run.timeout?.cancel" }],
  ),
  ...because(
    "reference/execution.ts",
    "No job of the conformance handler ends at once and works for long when it is retried.",
    [["this.#runs.get(job.id) !== run", "false"]],
  ),
  ...because(
    "reference/execution.ts",
    "A job without a ledger begins after a call that cannot be made, at the same instant of its clock.",
    [["url === undefined", "false"]],
  ),
  ...because("reference/execution.ts", "The event that ends the job takes its work out as well.", [
    ["this.#runs.get(job.id) === run", "true"],
    ["this.#runs.get(job.id) === run", "false"],
    ["this.#runs.get(job.id) === run", "this.#runs.get(job.id) !== run"],
  ]),
  ...because(
    "reference/execution.ts",
    "Work that was stopped reports nothing, and is ended once: it could be told twice that it is over.",
    [
      { within: "Execution.#stop", mutator: "BooleanLiteral" },
      { within: "Execution.#releaseWorker", original: "!run.holdsWorker", replacement: "false" },
      { within: "Execution.#releaseWorker", original: "false" },
      { within: "Execution.#keepChunk", original: "isStopped", replacement: "false" },
      { within: "Execution.#finish", original: "run.isStopped", replacement: "false" },
    ],
  ),
  ...because("reference/execution.ts", NO_ERROR_IS_STATED, [
    ["{ error: ending.message, output: ending.output }", "{}"],
  ]),
  ...because(
    "reference/execution.ts",
    "How often a job is begun whose worker dies is open (LIFE-05).",
    [
      ["job.dispatches < lifecycle.dispatchesMax", "job.dispatches <= lifecycle.dispatchesMax"],
      ["job.dispatches < lifecycle.dispatchesMax", "job.dispatches >= lifecycle.dispatchesMax"],
      ["job.dispatches < lifecycle.dispatchesMax", "false"],
    ],
  ),
  ...because("reference/endpoint.ts", UNASKED, [
    ["[...this.#options.siblings()]", "[]"],
    { within: "Endpoint.#findElsewhere*" },
    { within: "Endpoint.freeWorker" },
    ["isFinal(job.status) && retention.isProlongedBy(operation, job)", "false"],
    ["webhook.isCalledAtStart(job)", "false"],
    ["this.behaviour.webhook.keepsWorker(job)", "false"],
    ["operations.countsRetry(job)", "true"],
    { within: "Endpoint.#endWebhook", mutator: "BlockStatement" },
    { within: "Endpoint.#delete", original: "this.#counters[counter] -= 1" },
  ]),
  ...because("reference/endpoint.ts", "The list of the owner's own page.", [
    { within: "Endpoint.latestJobs" },
  ]),
  ...because("reference/endpoint.ts", NOT_SHOWN, [
    { within: "Endpoint.listJobs*", mutator: "ArrayDeclaration" },
    { within: "Endpoint.listJobs*", mutator: "ConditionalExpression" },
    { within: "Endpoint.listJobs*", mutator: "EqualityOperator" },
    ["{ if (jobs.length >= max) break; jobs.push(job); }", "{}"],
  ]),
  ...because("reference/endpoint.ts", KEPT_IN_A_FILE, [
    { within: "Endpoint.constructor.touch" },
    { within: "Endpoint.constructor.onChange", mutator: "ArrowFunction" },
    { within: "Endpoint.constructor.written", mutator: "ArrowFunction" },
    { within: "Endpoint.touch", mutator: "BlockStatement" },
  ]),
  ...because("reference/endpoint.ts", "Time is moved by the control protocol alone.", [
    ["!(this.clock instanceof VirtualClock)", "false"],
  ]),
  ...because(
    "reference/endpoint.ts",
    "A record is made of the job alone, whichever operation asks for it.",
    [
      { within: "Endpoint.constructor.recordOf", original: '"status"' },
      ["{ operation, job, nowMs: this.clock.nowMs() }", "{}"],
    ],
  ),
  ...because(
    "reference/endpoint.ts",
    "A job that does not wait is not in the queue, and one that is not in progress has no work.",
    [
      ['before === "IN_QUEUE" && lifecycle.leavesQueue(job, event)', "true"],
      [
        'before === "IN_QUEUE" && lifecycle.leavesQueue(job, event)',
        'before === "IN_QUEUE" || lifecycle.leavesQueue(job, event)',
      ],
      { within: "Endpoint.apply", original: 'before === "IN_QUEUE"', replacement: "true" },
      { within: "Endpoint.apply", original: 'before === "IN_PROGRESS"', replacement: "true" },
    ],
  ),
  ...because(
    "reference/endpoint.ts",
    "A job that has ended refuses the end of its ttl, and a webhook that nobody took.",
    [
      ["this.behaviour.lifecycle.ttlCounts(job)", "true"],
      { within: "Endpoint.#end", original: "!lifecycle.ttlCounts(job)" },
      { within: "Endpoint.constructor.onOver" },
      { within: "Endpoint.#endWebhook", original: "!wasAcknowledged" },
      { within: "Endpoint.#endWebhook", original: '"webhook-given-up"' },
    ],
  ),
  ...because(
    "reference/endpoint.ts",
    "A job has a ttl from its submission, and a retention from its end.",
    [
      { within: "Endpoint.#requeue", original: "job.retentionTimer?.cancel" },
      { within: "Endpoint.#end", original: "job.ttlTimer?.cancel" },
      { within: "Endpoint.#delete", original: "job.ttlTimer?.cancel" },
    ],
  ),
  ...because(
    "reference/endpoint.ts",
    "Whether a crash counts as a retry of the job is not stated.",
    [
      { within: "Endpoint.#requeue", original: "this.behaviour.operations.countsRedispatch" },
      { within: "Endpoint.#requeue", original: "{ this.#counters.retried += 1; }" },
      { within: "Endpoint.#requeue", mutator: "AssignmentOperator", unreached: true },
    ],
  ),
  ...because(
    "reference/endpoint.ts",
    "What a worker that died had yielded may stay in the stream: nothing is stated of it.",
    [
      { within: "Endpoint.#requeue", original: 'event === "worker-died"' },
      { within: "Endpoint.#requeue", original: '"worker-died"' },
    ],
  ),
  ...because("reference/endpoint.ts", NO_ERROR_IS_STATED, [
    { within: "Endpoint.#end", original: "error !== undefined" },
  ]),
  ...because("reference/endpoint.ts", "health shows the counts that have a name.", [
    { within: "Endpoint.#end", original: "counter !== undefined", replacement: "true" },
    { within: "Endpoint.#delete", original: "counter !== undefined" },
  ]),
  ...because(
    "reference/endpoint.ts",
    "Whether a job that was cancelled calls its webhook is open (HOOK-10), and none is called without one.",
    [
      ["webhook.isCalledFor(job) && this.webhooks.urlOf(job) !== undefined", "true"],
      [
        "webhook.isCalledFor(job) && this.webhooks.urlOf(job) !== undefined",
        "webhook.isCalledFor(job) || this.webhooks.urlOf(job) !== undefined",
      ],
      ["this.webhooks.urlOf(job) !== undefined", "true"],
    ],
  ),
  ...because(
    "reference/endpoint.ts",
    "A request that waits for a job which is then deleted may be answered anything but COMPLETED.",
    [{ within: "Endpoint.#delete", mutator: "BooleanLiteral" }],
  ),
];
