import { setTimeout as pause } from "node:timers/promises";
import { request } from "undici";
import { startEmbeddedReference } from "./embedded-reference.ts";
import { CommandError } from "./errors.ts";
import type { ContractCommandSettings, GivenTarget } from "./settings/contract.ts";
import { formatDuration } from "./settings/duration.ts";

export interface OpenTarget extends GivenTarget {
  /** Closes what was started for the run; nothing when the target was there before. */
  readonly close: () => Promise<void>;
}

/**
 * The server to test: the one that was named, once it answers, or the embedded reference.
 * @throws CommandError TARGET_UNREACHABLE when it does not answer within --wait-for-target.
 */
export async function openTarget(
  { target, waitForTargetMs }: ContractCommandSettings,
  signal: AbortSignal,
): Promise<OpenTarget> {
  if (target === undefined) return openReference();
  if (waitForTargetMs > 0) await untilItAnswers(target, { waitMs: waitForTargetMs, signal });
  return { ...target, close: async () => undefined };
}

async function openReference(): Promise<OpenTarget> {
  const reference = await startEmbeddedReference();
  const { baseUrl, controlUrl } = reference;
  const keys = { endpointId: undefined, apiKey: undefined, foreignKey: undefined };
  return { baseUrl, controlUrl, ...keys, close: async () => reference.stop() };
}

interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const pollMs = 250;
const answerWithinMs = 5_000;
/** More of an answer than this is not read to its end. */
const bodyBytesMax = 65_536;

/** Any HTTP answer will do: what it says is for the checks to judge. */
async function untilItAnswers(target: GivenTarget, { waitMs, signal }: Waiting): Promise<void> {
  const url = target.controlUrl ?? target.baseUrl;
  const deadlineMs = performance.now() + waitMs;
  let problem = await problemOf(url, signal);
  while (problem !== undefined && !signal.aborted) {
    if (performance.now() >= deadlineMs) {
      throw new CommandError(
        "TARGET_UNREACHABLE",
        `${url} did not answer within ${formatDuration(waitMs)}: ${problem}`,
        { hint: "Start the target, correct --base-url, or give --wait-for-target more time." },
      );
    }
    await pause(pollMs);
    problem = await problemOf(url, signal);
  }
}

async function problemOf(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)]);
    const { body } = await request(url, { signal: within });
    // Not destroyed: a body that is still on its way would make an error that nobody listens to.
    await body.dump({ limit: bodyBytesMax, signal: within });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
