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
import { ConfiguredDialect } from "./dialects/configured-dialect.ts";
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

/**
 * Looks whether the key lets us in, and counts the workers.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED or ENDPOINT_UNKNOWN
 */
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
  const translation = new ConfiguredDialect(dialect);
  const withinMs = Math.min(timeoutMs, firstAnswerMs);
  const client = new JobClient({
    transport,
    redactor: new Redactor(),
    baseUrl,
    endpointId,
    apiKey,
    translation,
    timeoutMs: withinMs,
  });
  const hasHealth = translation.obstacle("health") === undefined;
  // Any answer will do; what it says of a job that nobody knows is for the checks.
  const exchange = await (hasHealth ? client.health() : client.status("queueproof-preflight"));
  if (exchange.answer === undefined) throw unreachable(baseUrl, exchange);
  const { status } = exchange.answer;
  if (status === 401 || (hasHealth && status === 404)) await demandAccess(client, exchange);
  return workersIn(exchange.answer);
}

/**
 * Tells a wrong key or endpoint id from a target that breaks single operations: a submission without input, which
 * makes no job, is sent with the key in both of its forms. Where nothing is answered but 401, or but 404, nothing that
 * the checks could see would show anything of the target.
 * @throws HarnessError KEY_REFUSED or ENDPOINT_UNKNOWN
 */
async function demandAccess(client: JobClient, first: Exchange): Promise<void> {
  const { baseUrl, endpointId } = client.options;
  const submissions = [await client.run({}), await client.with({ scheme: "bearer" }).run({})];
  const statuses = submissions.map(({ answer }) => answer?.status);
  const asked = `${first.operation} and run`;
  if (statuses.every((status) => status === 401)) {
    throw new HarnessError(
      "KEY_REFUSED",
      `every request with this key was answered 401 (${asked} of endpoint ${endpointId} at ${baseUrl}): the key is probably wrong`,
      "Check --api-key and --endpoint; the key has to be valid for that endpoint.",
    );
  }
  if (first.answer?.status === 404 && statuses.every((status) => status === 404)) {
    throw new HarnessError(
      "ENDPOINT_UNKNOWN",
      `every request to endpoint ${endpointId} at ${baseUrl} was answered 404 (${asked}): the endpoint id is probably wrong`,
      "Correct --endpoint, the part behind /v2/ in the endpoint's URL, or --base-url.",
    );
  }
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
