import { randomUUID } from "node:crypto";
import { isIPv4 } from "node:net";

import {
  ControlClient,
  ControlError,
  JobClient,
  Redactor,
  Transport,
  bodyOf,
  describeFailure,
} from "../client/index.ts";
import type { Answer, Exchange } from "../client/index.ts";
import { capabilities, validators } from "../openapi/index.ts";
import type { Capability } from "../openapi/index.ts";
import { spec } from "./dialects/index.ts";
import type { Dialect } from "./dialects/index.ts";
import { Interpreter } from "./dialects/interpreter.ts";
import { HarnessError } from "./outcome.ts";
import type { Target } from "./session.ts";

/** Where the target is and what the user says of it. */
export interface TargetSettings {
  readonly baseUrl: string;
  readonly controlUrl?: string;
  readonly endpointId?: string;
  readonly apiKey?: string;
  readonly foreignKey?: string;
  /** What the user declares the target to offer. */
  readonly capabilities: readonly Capability[];
  readonly webhookUrl?: string;
  /** The port behind `webhookUrl`, where that names another one or none. */
  readonly webhookPort?: number;
  /** How long one answer may take; absent: 30 s. */
  readonly timeoutMs?: number;
  /** What the target is held to; absent: the specification alone. */
  readonly dialect?: Dialect;
}

/** How long the first answer may take before the target counts as not reachable. */
const firstAnswerMs = 10_000;
/** More than any endpoint shows; a number that a target made up must not decide how much is asked at once. */
const workersMax = 64;

/**
 * Looks whether the target answers and lets us in, and finds out what it offers.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED or ENDPOINT_UNKNOWN
 */
export async function openTarget(settings: TargetSettings): Promise<Target> {
  const transport = new Transport(1);
  try {
    const controlled = await controlCapabilities(settings, transport);
    const offered = new Set([...controlled, ...settings.capabilities, ...impliedBy(settings)]);
    if (settings.webhookUrl === undefined && !isLoopback(settings.baseUrl)) {
      offered.delete("webhook");
    }
    const target: Target = {
      ...settings,
      baseUrl: settings.baseUrl.replace(/\/+$/, ""),
      capabilities: capabilities.filter((capability) => offered.has(capability)),
    };
    if (offered.has("endpoints")) return target;
    return { ...target, workersSeen: await tryKey(target, transport) };
  } finally {
    await transport.close();
  }
}

/** Whether a URL leads to this machine alone. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIPv4(hostname) && hostname.startsWith("127.");
}

async function controlCapabilities(
  { controlUrl, timeoutMs }: TargetSettings,
  transport: Transport,
): Promise<readonly Capability[]> {
  if (controlUrl === undefined) return [];
  try {
    const within = { timeoutMs: Math.min(timeoutMs ?? firstAnswerMs, firstAnswerMs) };
    const { capabilities: offered } = await new ControlClient(transport, controlUrl, within).info();
    return ["handler", ...offered];
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const message = `the control protocol at ${controlUrl} did not answer: ${error.message}`;
    throw new HarnessError(
      "TARGET_UNREACHABLE",
      message,
      "Start the target, or correct --control; GET on that address has to answer as the control protocol says.",
    );
  }
}

/** What follows from where the target is and which keys were given (README.md#capabilities). */
function impliedBy({ baseUrl, webhookUrl, foreignKey }: TargetSettings): Capability[] {
  const implied: Capability[] = [];
  if (isLoopback(baseUrl)) implied.push("load");
  if (isLoopback(baseUrl) || webhookUrl !== undefined) implied.push("webhook");
  if (foreignKey !== undefined) implied.push("foreignKey");
  return implied;
}

async function tryKey(
  { baseUrl, endpointId, apiKey, timeoutMs = firstAnswerMs, dialect = spec }: Target,
  transport: Transport,
): Promise<number> {
  if (endpointId === undefined || apiKey === undefined) {
    throw new HarnessError(
      "TARGET_UNREACHABLE",
      "the target makes no fresh endpoints, and no endpoint and key were given",
      "Give --endpoint and --api-key.",
    );
  }
  const redactor = new Redactor();
  const translation = new Interpreter(dialect);
  const client = new JobClient({
    transport,
    redactor,
    baseUrl,
    endpointId,
    apiKey,
    translation,
  });
  const withinMs = Math.min(timeoutMs, firstAnswerMs);
  const hasHealth = translation.obstacle("health") === undefined;
  // Any answer will do; what it says of a job that nobody knows is for the checks.
  const exchange = await (hasHealth
    ? client.health({ timeoutMs: withinMs })
    : client.status("queueproof-preflight", { timeoutMs: withinMs }));
  if (exchange.answer === undefined) throw unreachable(baseUrl, exchange);
  if (exchange.answer.status === 401 && !(await refusesEverything(baseUrl, transport, withinMs))) {
    throw new HarnessError(
      "KEY_REFUSED",
      `the target at ${baseUrl} refused the key: ${exchange.operation} of endpoint ${endpointId} answered 401`,
      "Check --api-key and --endpoint; the key has to be valid for that endpoint.",
    );
  }
  if (hasHealth && exchange.answer.status === 404 && (await missesTheEndpoint(client, withinMs))) {
    throw new HarnessError(
      "ENDPOINT_UNKNOWN",
      `the target at ${baseUrl} knows no endpoint ${endpointId}: with the key, health and run answered 404; with a key that was made up, 401`,
      "Correct --endpoint: the id is what stands behind /v2/ in the endpoint's URL.",
    );
  }
  return workersIn(exchange.answer);
}

/**
 * Tells a mistyped endpoint from a target that has no health, or answers 404 to everything. Health with the key
 * answered 404 is what a target that knows the endpoint must not say (ENDP-01); it is taken for a mistyped id only
 * where run is 404, too, and a key that was made up is refused: then somebody looked at the key, let it in and did not
 * know the endpoint. Everything else is left to the checks. The body has no input, so no job comes of it.
 */
async function missesTheEndpoint(client: JobClient, timeoutMs: number): Promise<boolean> {
  const { answer: submitted } = await client.run({}, { timeoutMs });
  if (submitted?.status !== 404) return false;
  const stranger = client.with({ apiKey: `queueproof-${randomUUID()}` });
  const { answer: refused } = await stranger.health({ timeoutMs });
  return refused?.status === 401;
}

/**
 * Tells a target that answers 401 to everything from one that refuses this key. Health with the key answered 401 in
 * both cases, so two requests are made that have nothing to do with the API, without a key. A server that answers 401
 * there too knows nothing but refusing: that is how it behaves, whatever the key, and the checks judge it (a valid key
 * must be accepted: exit code 1). One that answers anything else there, a page or a 404, has an implementation behind
 * it that looked at the key and refused it: that is for the user to put right (exit code 3).
 */
async function refusesEverything(
  baseUrl: string,
  transport: Transport,
  timeoutMs: number,
): Promise<boolean> {
  for (const path of ["", randomUUID()]) {
    const request = { method: "GET", headers: {}, body: undefined, signal: undefined } as const;
    const { answer } = await transport.send({ ...request, url: `${baseUrl}/${path}`, timeoutMs });
    if (answer?.status !== 401) return false;
  }
  return true;
}

/** How many workers health shows; 1 where it shows none that can be read. */
function workersIn(answer: Answer): number {
  const body = bodyOf(answer);
  if (!body.ok || !validators.HealthAnswer(body.value)) return 1;
  const { idle, running } = body.value.workers;
  return Math.min(workersMax, idle + running);
}

function unreachable(baseUrl: string, exchange: Exchange): HarnessError {
  return new HarnessError(
    "TARGET_UNREACHABLE",
    `the target at ${baseUrl} did not answer: ${describeFailure(exchange)}`,
    "Start the target, or correct --base-url.",
  );
}
