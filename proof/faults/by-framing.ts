import { decimal, isIntegerWithin, isJsonObject } from "../../reference/behaviour/submission.ts";
import type { Fault } from "../../reference/faults.ts";
import type { JsonObject } from "../../reference/job.ts";
import type { SubmitOperation } from "../../openapi/operations.ts";
import { readJson } from "../../reference/read-json.ts";
import { fault } from "./builders/compose.ts";
import {
  also,
  type Change,
  except,
  instead,
  result,
  whenever,
  withArguments,
} from "./builders/member.ts";
import { parsing, reading } from "./builders/parsing.ts";

/** Bugs in how the text of a request is read, and in which types its members may have. */
export const framingFaults: readonly Fault[] = [
  fault("framing/falsy-execution-timeout-is-absent", ["POLI-01"], {
    describe: "An executionTimeout of 0, false or an empty string is taken as none.",
    change: also("submission.acceptsExecutionTimeout", isFalsy),
  }),
  fault("framing/falsy-ttl-is-absent", ["POLI-02"], {
    describe: "A ttl of 0, false or an empty string is taken as none.",
    change: also("submission.acceptsTtl", isFalsy),
  }),
  fault("framing/falsy-low-priority-is-absent", ["POLI-03"], {
    describe: "A lowPriority of 0 or an empty string is taken as false.",
    change: also("submission.acceptsLowPriority", isFalsy),
  }),
  fault("framing/array-of-a-ttl", ["POLI-02"], {
    describe: "A ttl is made a number before it is looked at: an array of one is accepted.",
    change: also("submission.acceptsTtl", (value) =>
      isIntegerWithin(Number(value), 10_000, 604_800_000),
    ),
  }),
  fault("framing/array-of-an-execution-timeout-on-runsync", ["POLI-01"], {
    describe: "runsync takes an array of one for an executionTimeout.",
    change: also(
      "submission.acceptsExecutionTimeout",
      (value, operation) =>
        operation === "runsync" && Array.isArray(value) && Number(value) >= 5_000,
    ),
  }),
  fault("framing/array-of-a-webhook", ["SUBM-06"], {
    describe: "A webhook is made a string before it is looked at: an array of a URL is accepted.",
    change: also(
      "submission.acceptsWebhook",
      (value) => Array.isArray(value) && URL.canParse(String(value)),
    ),
  }),
  fault("framing/object-of-a-webhook", ["SUBM-06"], {
    describe: "A webhook may be an object that holds a URL.",
    change: also("submission.acceptsWebhook", isJsonObject),
  }),
  fault("framing/array-is-an-object-of-settings", ["S3CF-03"], {
    describe: "An s3Config that is an array is accepted, as any object.",
    change: also("submission.acceptsS3Config", Array.isArray),
  }),
  fault("framing/number-of-a-bucket", ["S3CF-03"], {
    describe: "A bucketName that is a number is accepted.",
    change: also(
      "submission.acceptsS3Field",
      (value, field) => field === "bucketName" && typeof value === "number",
    ),
  }),
  fault("framing/false-of-a-secret-on-runsync", ["S3CF-03"], {
    describe: "runsync accepts an accessSecret that is no string but no value either.",
    change: also(
      "submission.acceptsS3Field",
      (value, field, operation) =>
        operation === "runsync" && field === "accessSecret" && typeof value !== "string",
    ),
  }),
  fault("framing/not-a-number-is-read", ["SUBM-03"], {
    describe: "The parser knows NaN and Infinity.",
    change: reading((text) => text.replaceAll(/\b(?:NaN|Infinity)\b/g, "null")),
  }),
  fault("framing/comma-too-many-is-read", ["SUBM-03"], {
    describe: "The parser takes a comma after the last member.",
    change: reading((text) => text.replaceAll(/,\s*\}/g, "}")),
  }),
  fault("framing/line-breaks-in-text-are-read", ["SUBM-03"], {
    describe: "The parser takes raw control characters inside a string.",
    change: reading((text) => text.replaceAll("\n", String.raw`\n`)),
  }),
  fault("framing/text-after-the-object-is-left", ["SUBM-03"], {
    describe: "The parser stops at the end of the object, whatever comes behind it.",
    change: reading((text) => text.replace(/\}[^{}]+$/, "}")),
  }),
  fault("framing/chunks-have-no-limit", ["RUNA-02"], {
    describe: "run takes the size of a body from its length, so that one in chunks may have any.",
    change: instead("submission.payloadBytesMax", Number.MAX_SAFE_INTEGER, inChunks("run")),
  }),
  fault("framing/chunks-of-runsync-have-no-limit", ["SYNC-06"], {
    describe:
      "runsync takes the size of a body from its length, so that one in chunks may have any.",
    change: instead("submission.payloadBytesMax", Number.MAX_SAFE_INTEGER, inChunks("runsync")),
  }),
  fault("framing/body-without-a-length-is-empty", ["SUBM-04"], {
    describe: "run takes a body without its length for none.",
    change: receivedInChunks("run", () => Buffer.alloc(0)),
  }),
  fault("framing/chunks-are-decoded-one-by-one", ["SUBM-04"], {
    describe:
      "runsync makes text of each chunk by itself, so that characters between two are lost.",
    change: receivedInChunks("runsync", (body) =>
      Buffer.from(body.toString("utf8").replaceAll(/[\u{80}-\u{10FFFF}]/gu, "\uFFFD\uFFFD")),
    ),
  }),
  fault("framing/chunks-beyond-a-buffer-are-left", ["SUBM-04"], {
    describe: "run reads the first 64 kB of a body in chunks.",
    change: receivedInChunks("run", (body) => body.subarray(0, 65_536)),
  }),
  fault("framing/chunks-of-no-submission-are-taken", ["SUBM-01", "SUBM-02", "SUBM-03"], {
    describe: "run takes a body in chunks before it has looked at it, as an empty input.",
    change: receivedInChunks("run", (body) => (isSubmission(body) ? body : emptySubmission)),
  }),
  fault("framing/brackets-of-a-text-nest", ["SUBM-04"], {
    describe: "What keeps deep bodies out takes brackets in a text for nesting.",
    change: refusing((text) => deepestBracket(text) > 500),
  }),
  fault("framing/siblings-nest", ["SUBM-04"], {
    describe: "What keeps deep bodies out never sees an array or object end.",
    change: refusing((text) => countOfContainers(text) > 500),
  }),
  fault("framing/input-in-any-case", ["SUBM-01"], {
    describe: "A member named Input is taken for the input.",
    change: result("submission.inputOf", (input, body) => input ?? objectIn(body["Input"])),
  }),
  fault("framing/empty-input-is-none", ["SUBM-04"], {
    describe: "An input without members is taken for none.",
    change: result("submission.inputOf", (input) =>
      input !== undefined && Object.keys(input).length === 0 ? undefined : input,
    ),
  }),
  fault("framing/webhook-of-https-is-refused", ["SUBM-06"], {
    describe: "A webhook has to begin with http://.",
    change: except(
      "submission.acceptsWebhook",
      (value) => typeof value === "string" && /^https:/i.test(value),
    ),
  }),
  fault("framing/content-type-has-no-parameters", ["SUBM-04"], {
    describe: "A content type that names its charset is refused.",
    change: except("submission.acceptsContentType", (value) => value?.includes(";") === true),
  }),
  fault("framing/body-begins-with-a-brace", ["SUBM-04"], {
    describe: "A body with white space before its first brace is refused.",
    change: refusing((text) => !text.startsWith("{")),
  }),
  fault("framing/body-ends-with-a-brace", ["SUBM-04"], {
    describe: "runsync refuses a body with a line break behind its last brace.",
    change: refusing((text, operation) => operation === "runsync" && text.endsWith("\n")),
  }),
  fault("framing/body-is-one-line", ["SUBM-04"], {
    describe: "run reads the first line of a body.",
    change: parsing((text, operation) =>
      operation === "run" ? (text.trim().split("\n")[0] ?? "") : text,
    ),
  }),
  fault("framing/unit-behind-a-wait", ["SYNC-03"], {
    describe: "A wait is read up to the first character that is no digit.",
    change: also("submission.acceptsWait", (text) => leadingNumber(text) >= 1_000),
  }),
  fault("framing/unit-behind-a-ttl", ["STAT-07"], {
    describe: "The ttl of status is read up to the first character that is no digit.",
    change: also("operations.acceptsStatusTtl", (text) => leadingNumber(text) > 0),
  }),
  fault("framing/ttl-has-32-bits", ["POLI-02"], {
    describe: "A ttl is made a number of 32 bits before it is looked at.",
    change: withArguments("submission.acceptsTtl", (value, operation) => [
      in32Bits(value),
      operation,
    ]),
  }),
  fault("framing/execution-timeout-has-32-bits", ["POLI-01"], {
    describe: "An executionTimeout is made a number of 32 bits before it is looked at.",
    change: withArguments("submission.acceptsExecutionTimeout", (value, operation) => [
      in32Bits(value),
      operation,
    ]),
  }),
  fault("framing/wait-has-32-bits", ["SYNC-03"], {
    describe: "A wait is made a number of 32 bits before it is looked at.",
    change: also("submission.acceptsWait", (text) =>
      isIntegerWithin(in32Bits(decimal(text)), 1_000, 300_000),
    ),
  }),
  fault("framing/underscores-in-a-ttl", ["STAT-07"], {
    describe:
      "The ttl of status is read as a literal of a language that groups digits by underscores.",
    change: also(
      "operations.acceptsStatusTtl",
      (text) => typeof text === "string" && /^\d+(?:_\d+)+$/.test(text),
    ),
  }),
  fault("framing/underscores-in-a-wait", ["SYNC-03"], {
    describe: "A wait is read as a literal of a language that groups digits by underscores.",
    change: also(
      "submission.acceptsWait",
      (text) => typeof text === "string" && /^\d+(?:_\d+)+$/.test(text),
    ),
  }),
];

function isFalsy(value: unknown): boolean {
  return value === 0 || value === "" || value === false;
}

function objectIn(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

const emptySubmission = Buffer.from('{"input":{}}');

function isSubmission(body: Buffer): boolean {
  try {
    const value = readJson(body);
    return isJsonObject(value) && isJsonObject(value["input"]);
  } catch {
    return false;
  }
}

function inChunks(of: SubmitOperation) {
  return (operation: SubmitOperation, isChunked: boolean) => isChunked && operation === of;
}

function receivedInChunks(of: SubmitOperation, change: (body: Buffer) => Buffer): Change {
  return result("submission.received", (body, _specified, operation, isChunked) =>
    inChunks(of)(operation, isChunked) ? change(body) : body,
  );
}

/** Refuses the bodies for which `isRefused` holds as if they were not JSON. */
function refusing(isRefused: (text: string, operation: SubmitOperation) => boolean): Change {
  return whenever("submission.parse", (text, operation) => {
    if (isRefused(text, operation)) throw new SyntaxError("refused");
  });
}

function deepestBracket(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Counts the arrays and objects of a JSON text; brackets in its strings are left out. */
function countOfContainers(json: string): number {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").split(/[[{]/).length - 1;
}

function leadingNumber(text: unknown): number {
  return typeof text === "string" ? (decimal(/^\d+/.exec(text)?.[0]) ?? 0) : 0;
}

function in32Bits(value: unknown): unknown {
  return typeof value === "number" && Number.isInteger(value)
    ? Number(BigInt.asIntN(32, BigInt(value)))
    : value;
}
