import { chunkBytesMax } from "../../openapi/sizes.ts";
import { answerSchema } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { describeErrors } from "../../openapi/describe-errors.ts";
import { validators } from "../../openapi/generated/validators.ts";
import { finalStates } from "../../harness/record.ts";
import { show } from "../../harness/show.ts";
import { memberOf, queryOf } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements, ShownRequirement } from "./seen.ts";

// What each answer shows by itself (docs/specification.md#endpoints).

/** The requirement about the shape of each operation's success, beside ENDP-05. */
const shapes: Readonly<Partial<Record<OperationName, RequirementId>>> = {
  stream: "STRM-01",
  "purge-queue": "PURG-01",
  health: "HLTH-01",
};

export function judgeAnswer(seen: SeenExchange, requirements: SeenRequirements): void {
  if (!seen.isSuccess || seen.recorded.answer?.body.kind !== "whole") return;
  judgeForm(seen, requirements);
  if (seen.operation === "run") judgeRun(seen, requirements);
  if (seen.operation === "runsync") judgeRunsync(seen, requirements);
  if (seen.operation === "status") judgeStatus(seen, requirements);
  if (seen.operation === "stream") judgeChunks(seen, requirements);
}

function judgeForm(seen: SeenExchange, requirements: SeenRequirements): void {
  const { operation, got, recorded } = seen;
  const type = recorded.answer?.headers["content-type"] ?? "none";
  const isJson = /^application\/json\s*(?:;|$)/i.test(type) && got !== undefined;
  const what = got === undefined ? "a body that is not JSON" : `content-type ${show(type)}`;
  requirements.tell(seen, ["ENDP-03", isJson, "a JSON body, content-type application/json", what]);
  if (got === undefined) return;
  const validate = validators[answerSchema[operation]];
  const isValid = validate(got);
  const problems = isValid ? "" : describeErrors(validate.errors);
  requirements.tell(seen, ["ENDP-05", isValid, "a body that its schema allows", problems]);
  const shape = shapes[operation];
  if (shape !== undefined) {
    requirements.tell(seen, [shape, isValid, "the answer of the specification", problems]);
  }
}

function judgeRun(seen: SeenExchange, requirements: SeenRequirements): void {
  const status = memberOf(seen.got, "status");
  const isRight = status === "IN_QUEUE" && typeof memberOf(seen.got, "id") === "string";
  requirements.tell(seen, ["RUNA-01", isRight, "an id and IN_QUEUE", show(seen.got)]);
}

const defaultWaitMs = 90_000;
/** What the network and a busy server may take beside the wait. */
const lateMs = 10_000;
const earlyMs = 100;

function judgeRunsync(seen: SeenExchange, requirements: SeenRequirements): void {
  const { got, recorded, sentAtMs } = seen;
  const status = memberOf(got, "status");
  if (status === "COMPLETED") {
    const members = ["id", "output", "delayTime", "executionTime"];
    const missing = members.filter((name) => memberOf(got, name) === undefined);
    const words = missing.length === 0 ? "" : `no ${missing.join(", no ")}`;
    requirements.tell(seen, ["SYNC-01", missing.length === 0, members.join(", "), words]);
  }
  const given = queryOf(recorded, "wait");
  const waitMs = given === null ? defaultWaitMs : Number(given);
  if (Number.isNaN(waitMs) || typeof status !== "string") return;
  const tookMs = (recorded.answer?.beganMs ?? 0) - sentAtMs;
  const held = { status, tookMs, waitMs, isDefault: given === null };
  for (const shown of shownOfWait(held)) requirements.tell(seen, shown);
}

interface HeldRunsync {
  readonly status: string;
  readonly tookMs: number;
  readonly waitMs: number;
  readonly isDefault: boolean;
}

/** Whether a runsync was answered when its job or its wait was over, and neither earlier nor later. */
function shownOfWait({
  status,
  tookMs,
  waitMs,
  isDefault,
}: HeldRunsync): readonly ShownRequirement[] {
  const took = `${status} after ${(tookMs / 1000).toFixed(1)} s`;
  const ofEnd = isDefault ? "SYNC-05" : "SYNC-04";
  if (tookMs > waitMs + lateMs) {
    return [[ofEnd, false, `an answer after ${waitMs / 1000} s at the latest`, took]];
  }
  if (finalStates.includes(status)) {
    return status === "COMPLETED" && tookMs <= waitMs ? [["SYNC-02", true, "", ""]] : [];
  }
  if (tookMs >= waitMs - earlyMs) return [[ofEnd, true, "", ""]];
  const expected = `an unfinished job only after ${waitMs / 1000} s`;
  return [[isDefault ? "SYNC-05" : "SYNC-02", false, expected, took]];
}

function judgeStatus(seen: SeenExchange, requirements: SeenRequirements): void {
  const status = memberOf(seen.got, "status");
  if (status === "COMPLETED") {
    const times = ["delayTime", "executionTime"].map((name) => memberOf(seen.got, name));
    const areRight = times.every((value) => Number.isInteger(value) && Number(value) >= 0);
    const expected = "delayTime and executionTime, integers of 0 or more";
    requirements.tell(seen, ["STAT-03", areRight, expected, show(times)]);
  }
  if (status === "FAILED") {
    const hasOutput = (memberOf(seen.got, "output") ?? null) !== null;
    requirements.tell(seen, ["LIFE-04", !hasOutput, "FAILED with no output", "an output"]);
  }
}

function judgeChunks(seen: SeenExchange, requirements: SeenRequirements): void {
  if (!Array.isArray(seen.got) || seen.got.length === 0) return;
  const sizes = seen.got.map((element) =>
    Buffer.byteLength(JSON.stringify(memberOf(element, "output") ?? "")),
  );
  const largest = Math.max(...sizes);
  if (largest > chunkBytesMax) {
    requirements.tell(seen, ["STRM-03", false, "chunks of at most 1 MB", `${largest} bytes`]);
  }
}
