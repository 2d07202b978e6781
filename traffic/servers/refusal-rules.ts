import { isSubmission } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { memberOf, queryOf } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";
import { isJsonObject } from "../../client/parse-json.ts";

// What has to be answered 400, and what is no reason for it (docs/specification.md#errors).

/** A flaw of a request that has to be answered 400. */
interface Flaw {
  readonly requirement: RequirementId;
  readonly what: string;
  readonly isIn: (seen: SeenExchange) => boolean;
  /** Whether it is about the input itself, so that no accepted request can have the same. */
  readonly isOfInput?: true;
}

const dayMs = 86_400_000;

const flaws: readonly Flaw[] = [
  {
    requirement: "SUBM-03",
    what: "a body that is no JSON object",
    isOfInput: true,
    isIn: (seen) => isSubmission(seen.operation) && isWhole(seen) && !isJsonObject(seen.sent),
  },
  {
    requirement: "SUBM-01",
    what: "no input",
    isOfInput: true,
    isIn: (seen) =>
      isSubmission(seen.operation) &&
      isJsonObject(seen.sent) &&
      memberOf(seen.sent, "input") === undefined,
  },
  {
    requirement: "SUBM-02",
    what: "an input that is no object",
    isOfInput: true,
    isIn: (seen) => isGiven(seen, "input", (input) => !isJsonObject(input)),
  },
  {
    requirement: "SUBM-06",
    what: "a webhook that is no URL",
    isIn: (seen) =>
      isGiven(seen, "webhook", (url) => typeof url !== "string" || !URL.canParse(url)),
  },
  {
    requirement: "POLI-01",
    what: "an executionTimeout out of bounds",
    isIn: (seen) => isOfPolicy(seen, "executionTimeout", isOutside(5_000, 7 * dayMs)),
  },
  {
    requirement: "POLI-02",
    what: "a ttl out of bounds",
    isIn: (seen) => isOfPolicy(seen, "ttl", isOutside(10_000, 7 * dayMs)),
  },
  {
    requirement: "POLI-03",
    what: "a lowPriority that is no boolean",
    isIn: (seen) => isOfPolicy(seen, "lowPriority", (value) => typeof value !== "boolean"),
  },
  {
    requirement: "S3CF-03",
    what: "an s3Config that is no object of texts",
    isIn: (seen) =>
      isGiven(
        seen,
        "s3Config",
        (config) =>
          !isJsonObject(config) ||
          !Object.values(config).every((value) => typeof value === "string"),
      ),
  },
  {
    requirement: "SYNC-03",
    what: "a wait out of bounds",
    isIn: (seen) => seen.operation === "runsync" && isNumberOutside(seen, "wait", [1_000, 300_000]),
  },
  {
    requirement: "STAT-07",
    what: "a ttl that is no positive integer",
    isIn: (seen) =>
      seen.operation === "status" && isNumberOutside(seen, "ttl", [1, Number.MAX_SAFE_INTEGER]),
  },
];

/** Answers that say nothing of the body: of the key, the endpoint, limits, or the way there. */
function isOfSomethingElse(status: number): boolean {
  return [401, 403, 404, 408, 413, 415, 429].includes(status) || status >= 500;
}

/**
 * What was accepted without a flaw: operations, and what was asked of them. A refusal shows that a flaw was seen only
 * where the same was accepted without it: a server may have refused the input.
 */
export type AcceptedRequests = Set<string>;

const acceptedKept = 10_000;
const controlCharactersMax = 1_000;

/** What a request asks for besides its flaw; undefined where it is not known, as in a recording without inputs. */
function controlOf({ operation, jobId, sent }: SeenExchange): string | undefined {
  if (jobId !== undefined) return `${operation} ${jobId}`;
  const input = JSON.stringify(memberOf(sent, "input") ?? {});
  const isKnown = input !== "{}" && input.length <= controlCharactersMax;
  return isKnown ? `${operation} ${input}` : undefined;
}

/** Judges what is answered to a request with a flaw. */
export function judgeRefusals(
  seen: SeenExchange,
  accepted: AcceptedRequests,
  requirements: SeenRequirements,
): void {
  const found = flaws.filter(({ isIn }) => isIn(seen));
  const control = controlOf(seen);
  if (found.length === 0) {
    if (!seen.isSuccess) return;
    accepted.add(seen.operation);
    if (control !== undefined && accepted.size < acceptedKept) accepted.add(control);
    return;
  }
  if (isOfSomethingElse(seen.status)) return;
  for (const { requirement, what, isOfInput } of found) {
    if (seen.status === 400) {
      const needed = isOfInput === true ? seen.operation : control;
      // With two flaws it is not known which one was refused.
      const isShown = found.length === 1 && needed !== undefined && accepted.has(needed);
      if (isShown) requirements.held(requirement, seen.operation);
      continue;
    }
    const verdict = [requirement, false, "400", String(seen.status)] as const;
    requirements.tell(seen, verdict, ` with ${what}`);
  }
}

const payloadBytesMax = { run: 10_000_000, runsync: 20_000_000 } as const;
/** MB may be meant as MiB. */
const mebibytes = 1_048_576 / 1_000_000;

/** Judges whether a payload that is beyond doubt too large is refused, and one within the limit accepted. */
export function judgePayloadSize(seen: SeenExchange, requirements: SeenRequirements): void {
  const { operation, recorded, status } = seen;
  if (operation !== "run" && operation !== "runsync") return;
  const requirement = operation === "run" ? "RUNA-02" : "SYNC-06";
  const bytes = Number(recorded.headers["content-length"] ?? recorded.body.bytes.length);
  const most = payloadBytesMax[operation];
  const breach = (expected: string): void =>
    requirements.tell(seen, [requirement, false, expected, String(status)], ` with ${bytes} bytes`);
  if (bytes > most * mebibytes && seen.isSuccess) breach("a refusal: it is too large");
  if (bytes <= most && status === 413) breach("no 413: it is within the limit");
}

function isWhole({ recorded }: SeenExchange): boolean {
  return recorded.body.kind === "whole";
}

function isGiven(seen: SeenExchange, name: string, isWrong: (value: unknown) => boolean): boolean {
  const value =
    isSubmission(seen.operation) && isJsonObject(seen.sent) ? memberOf(seen.sent, name) : undefined;
  return value !== undefined && isWrong(value);
}

function isOfPolicy(
  seen: SeenExchange,
  name: string,
  isWrong: (value: unknown) => boolean,
): boolean {
  return isGiven(seen, "policy", (policy) => {
    const value = memberOf(policy, name);
    return value !== undefined && isWrong(value);
  });
}

function isOutside(least: number, most: number): (value: unknown) => boolean {
  return (value) =>
    typeof value !== "number" || !Number.isInteger(value) || value < least || value > most;
}

function isNumberOutside(
  seen: SeenExchange,
  name: string,
  [least, most]: readonly [number, number],
): boolean {
  const text = queryOf(seen.recorded, name);
  if (text === null) return false;
  return !/^\d{1,15}$/.test(text) || Number(text) < least || Number(text) > most;
}
