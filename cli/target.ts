import { setTimeout as pause } from "node:timers/promises";
import { Transport } from "../client/transport.ts";
import { rulesFor } from "../client/request-rules.ts";
import { segmentOf } from "../client/job-client.ts";
import { withoutTrailingSlash } from "../client/endpoint-address.ts";
import { demandConfigConsent } from "./config-consent.ts";
import { startEmbeddedReference } from "./embedded-reference.ts";
import { CommandError } from "./errors.ts";
import { listenForInterruption } from "./interruption.ts";
import type { Io } from "./io.ts";
import type { ContractCommandSettings } from "./settings/contract.ts";
import type { GivenTarget } from "./settings/given-target.ts";
import { durationText } from "../reports/words.ts";

export interface OpenTarget extends GivenTarget {
  /** Closes what was started for the run; does nothing for a target that was already running. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the server to test ready: waits until the given one answers, or starts the embedded reference.
 * @throws CommandError TARGET_UNREACHABLE when it does not answer within --wait-for-target.
 */
export async function startTarget(
  { target, requests, waitForTargetMs }: ContractCommandSettings,
  signal: AbortSignal,
): Promise<OpenTarget> {
  if (target === undefined) return openReference();
  if (waitForTargetMs > 0) {
    const transport = new Transport(rulesFor({ ...target, requests }), 1);
    try {
      await untilItAnswers(target, { transport, waitMs: waitForTargetMs, signal });
    } finally {
      await transport.close();
    }
  }
  return { ...target, close: async () => undefined };
}

/**
 * Starts the target for work that is no run, and closes it afterwards. A signal ends the start early; the work is given
 * it, too.
 * @throws CommandError WRONG_USAGE where the config file is not agreed to, and the errors of `startTarget`
 */
export async function withTarget<Result>(
  settings: ContractCommandSettings,
  io: Io,
  work: (target: OpenTarget, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await demandConfigConsent(settings.configUse, io);
  const { signal, stop } = listenForInterruption();
  try {
    const target = await startTarget(settings, signal);
    try {
      return await work(target, signal);
    } finally {
      await target.close();
    }
  } finally {
    stop();
  }
}

async function openReference(): Promise<OpenTarget> {
  const reference = await startEmbeddedReference();
  const { baseUrl, controlUrl } = reference;
  return { baseUrl, controlUrl, close: async () => reference.stop() };
}

interface Waiting {
  readonly transport: Transport;
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

const pollMs = 250;
const answerWithinMs = 5_000;
/** What a gateway answers while the server behind it is not up. */
const notUp: ReadonlySet<number> = new Set([502, 503, 504]);

/** Waits for any HTTP answer but those of a gateway that has no server yet; the checks judge its content. */
async function untilItAnswers(target: GivenTarget, waiting: Waiting): Promise<void> {
  const { waitMs, signal } = waiting;
  const url = askedUrlOf(target);
  const deadlineMs = performance.now() + waitMs;
  let problem = await problemOf(url, waiting);
  while (problem !== undefined && !signal.aborted) {
    if (performance.now() >= deadlineMs) {
      throw new CommandError(
        "TARGET_UNREACHABLE",
        `${url} did not answer as a server that is up within ${durationText(waitMs)}: ${problem}`,
        { hint: "Start the target, correct --base-url, or give --wait-for-target more time." },
      );
    }
    await pause(pollMs);
    problem = await problemOf(url, waiting);
  }
}

/** The URL that shows whether the target is up. A gateway may lead other paths to other servers. */
function askedUrlOf({ controlUrl, baseUrl, endpointId }: GivenTarget): string {
  if (controlUrl !== undefined) return controlUrl;
  return endpointId === undefined
    ? baseUrl
    : `${withoutTrailingSlash(baseUrl)}/v2/${segmentOf(endpointId)}/health`;
}

async function problemOf(url: string, { transport, signal }: Waiting): Promise<string | undefined> {
  const request = { method: "GET", url, headers: {}, body: undefined, signal } as const;
  const { failure, answer } = await transport.send({ ...request, timeoutMs: answerWithinMs });
  if (answer !== undefined && notUp.has(answer.status)) return `it answered ${answer.status}`;
  return failure?.kind === "too-large" ? undefined : failure?.message;
}
