import type { Fault } from "../../reference/faults.ts";
import { inConfig } from "./builders/carried.ts";
import { always } from "./builders/conditions.ts";
import { fault } from "./builders/compose.ts";
import { hasWaited, isLowPriority } from "./builders/jobs.ts";
import { afterWait } from "./builders/marks.ts";
import { also, instead } from "./builders/member.ts";

/** Bugs in what the values of an s3Config lose on their way to the worker. */
export const s3ValueFaults: readonly Fault[] = [
  fault("s3/values-are-trimmed", ["S3CF-01"], {
    describe: "The values of an s3Config reach the worker without the spaces at their ends.",
    change: inConfig((value) => value.trim()),
  }),
  fault("s3/values-are-normalised", ["S3CF-01"], {
    describe: "Combined characters of an s3Config reach the worker as one.",
    change: inConfig((value) => value.normalize("NFC")),
  }),
  fault("s3/secret-is-decoded", ["S3CF-01"], {
    describe: "What accessSecret has behind % reaches the worker as the character it encodes.",
    change: inConfig((value, name) =>
      name === "accessSecret" ? value.replaceAll(/%2[Ff]/g, "/") : value,
    ),
  }),
  fault("s3/values-are-expanded", ["S3CF-01"], {
    describe: "What follows $ in an s3Config is replaced as a variable that is not set.",
    change: inConfig((value) => value.replaceAll(/\$\{?\w+\}?/g, "")),
  }),
  fault("s3/values-that-look-like-numbers-are-numbers", ["S3CF-01"], {
    describe: "A value of an s3Config that looks like a number reaches the worker as one.",
    change: inConfig((value) => (/^\d+$/.test(value) ? Number(value) : value)),
  }),
  fault("s3/config-of-low-priority-is-lost", ["S3CF-01"], {
    describe: "The s3Config of a lowPriority job stays with the service.",
    change: instead("lifecycle.handlerS3Config", undefined, isLowPriority),
  }),
  fault("s3/config-is-lost-in-the-queue", ["S3CF-01"], {
    describe: "The s3Config of a job that had to wait stays with the service.",
    change: instead("lifecycle.handlerS3Config", undefined, hasWaited),
  }),
  fault("s3/config-is-lost-at-the-end-of-the-wait", ["S3CF-01"], {
    describe: "The s3Config of a job that outlasts the wait of its runsync is lost.",
    change: afterWait(always, (hasOutlastedIt) =>
      instead("lifecycle.handlerS3Config", undefined, hasOutlastedIt),
    ),
  }),
  fault("s3/empty-list-is-no-value", ["S3CF-03"], {
    describe: "A field of s3Config that is an empty array or object is accepted.",
    change: also(
      "submission.acceptsS3Field",
      (value) => JSON.stringify(value) === "[]" || JSON.stringify(value) === "{}",
    ),
  }),
];
