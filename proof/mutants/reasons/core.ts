import type { Reason } from "../reason.ts";
import { because } from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because(
    "reference/endpoint.ts",
    "What begins anew with a job whose worker died, and how often it is processed again, is open (LIFE-05).",
    [{ within: "Endpoint.#requeue", original: 'event === "retry"', replacement: "true" }],
  ),
  ...because(
    "reference/authentication.ts",
    "An unknown endpoint may be answered 401 as well (ENDP-01).",
    [
      ['"unknown-endpoint"', '""'],
      ["endpoint === undefined", "false"],
    ],
  ),
  ...because("reference/authentication.ts", "The reference itself permits no foreign key.", [
    ['"granted"', '""'],
  ]),
  ...because(
    "reference/authentication.ts",
    "Which of two faults is told first, the key's or the endpoint's, is not stated, nor what a key of another account learns of endpoints.",
    [
      ["!isKnownKey(key)", "false"],
      ["!isKnownKey(key)", "isKnownKey(key)"],
      ["!isKnownKey(key)", "true"],
    ],
  ),
  ...because(
    "reference/authentication.ts",
    "Without a key the one that is compared is undefined, which is nobody's: it is refused a line later.",
    [["key === undefined", "false"]],
  ),
  ...because(
    "reference/job.ts",
    "It is read only where a state file could not be written, and the suite keeps none.",
    [["false", "true"]],
  ),
  ...because(
    "reference/job.ts",
    "What a worker that died had yielded may stay in the stream: nothing is stated of it.",
    [["{ job.output = undefined; job.chunks.length = 0; job.chunksRead = 0; }", "{}"]],
  ),
  ...because("reference/record.ts", "A failed job need not say why: error is not stated.", [
    ["job.error !== undefined", "job.error === undefined"],
    ["job.error !== undefined", "true"],
    ["job.error !== undefined && { error: job.error }", "false"],
    [
      "job.error !== undefined && { error: job.error }",
      "job.error !== undefined || { error: job.error }",
    ],
    ["job.error !== undefined && { error: job.error }", "true"],
    ["{ error: job.error }", "{}"],
  ]),
  ...because("reference/record.ts", "JSON leaves out a member that is undefined.", [
    ["delayTime !== undefined", "true"],
    ["executionTime !== undefined", "true"],
  ]),
  ...because(
    "reference/stream.ts",
    "A chunk that need not be split is split into one piece that is the same.",
    [
      ["text.length <= pieceLength", "false"],
      ["text.length <= pieceLength", "text.length < pieceLength"],
    ],
  ),
  ...because(
    "reference/stream.ts",
    "A piece that holds no text, among those that hold it all: what else a stream may show is not stated.",
    [["[]", '["Stryker was here"]']],
  ),
  ...because(
    "reference/stream.ts",
    "One more piece without text, and only where the last one is full.",
    [["start < text.length", "start <= text.length"]],
  ),
  ...because("reference/stream.ts", "The conformance handler yields text alone.", [
    ['typeof first === "string"', "true"],
  ]),
  ...because(
    "reference/stream.ts",
    "The piece is a few bytes larger, and still at most 1 MB in the larger reading.",
    [["bytesMax - TEXT_FRAME_BYTES", "bytesMax + TEXT_FRAME_BYTES"]],
  ),
  ...because(
    "reference/transitions.ts",
    "A deleted job keeps its last status, and nobody can read either.",
    [
      ['"DELETED"', '""'],
      ['destination !== "DELETED"', "true"],
    ],
  ),
  ...because(
    "reference/transitions.ts",
    "How long the record of a cancelled job stays is not stated: nothing of it was completed.",
    [['"CANCELLED"', '""']],
  ),
  ...because(
    "reference/transitions.ts",
    "It says where the transition comes from, for readers of the code.",
    [
      ['"assumed"', '""'],
      ['"stated"', '""'],
    ],
  ),
  ...because(
    "reference/workers.ts",
    "The bounds of an endpoint that scales are the control protocol's, and no sentence of the API speaks of them.",
    [
      ["this.#max !== undefined", "true"],
      [
        "this.#max !== undefined && this.#total < this.#max",
        "this.#max !== undefined || this.#total < this.#max",
      ],
      ["this.#total < this.#max", "this.#total <= this.#max"],
      ["this.#total < this.#max", "true"],
    ],
  ),
  ...because("reference/workers.ts", "The larger of the two is the same either way.", [
    ["count > this.#total", "count >= this.#total"],
    ["count > this.#total", "false"],
  ]),
  ...because("reference/workers.ts", "The maximum of a plain number is undefined, too.", [
    ['"number"', '""'],
    ['typeof plan === "number"', "false"],
  ]),
  ...because("reference/workers.ts", "The plan is read by the control protocol alone.", [
    ["this.#max === undefined", "false"],
    ["this.#max === undefined", "this.#max !== undefined"],
    ["this.#max === undefined", "true"],
    ["{ min: this.#min, max: this.#max }", "{}"],
    [
      "{ return this.#max === undefined ? this.#wanted : { min: this.#min, max: this.#max }; }",
      "{}",
    ],
  ]),
  ...because("reference/workers.ts", "The suite brings no real workers in process; interop does.", [
    ["fleet !== undefined", "fleet === undefined"],
    ["fleet !== undefined", "true"],
    ["fleet !== undefined && workers.plan === UNLIMITED_WORKERS", "false"],
    [
      "fleet !== undefined && workers.plan === UNLIMITED_WORKERS",
      "fleet !== undefined || workers.plan === UNLIMITED_WORKERS",
    ],
    ["workers.plan === UNLIMITED_WORKERS", "true"],
    ["workers.plan === UNLIMITED_WORKERS", "workers.plan !== UNLIMITED_WORKERS"],
    ["{ workersBusy: fleet.busy, workersTotal: fleet.connected }", "{}"],
  ]),
];
