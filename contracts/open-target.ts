import { isIPv4 } from "node:net";

import { ControlClient, ControlError, JobClient, Redactor, Transport } from "../client/index.ts";
import type { Exchange } from "../client/index.ts";
import { capabilities } from "../openapi/index.ts";
import type { Capability } from "../openapi/index.ts";
import { HarnessError } from "./kit/outcome.ts";
import { describeFailure } from "../client/index.ts";
import { readBody } from "./kit/read.ts";
import type { Target } from "./kit/session.ts";

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
}

/** How long the first answer may take before the target counts as not reachable. */
const firstAnswerMs = 10_000;

/**
 * Looks whether the target answers and lets us in, and finds out what it offers.
 * @throws HarnessError TARGET_UNREACHABLE or KEY_REFUSED
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
  { controlUrl }: TargetSettings,
  transport: Transport,
): Promise<readonly Capability[]> {
  if (controlUrl === undefined) return [];
  try {
    const { capabilities: offered } = await new ControlClient(transport, controlUrl).info();
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

/** What follows from where the target is and which keys were given (TARGETS.md, Capabilities). */
function impliedBy({ baseUrl, webhookUrl, foreignKey }: TargetSettings): Capability[] {
  const implied: Capability[] = [];
  if (isLoopback(baseUrl)) implied.push("load");
  if (isLoopback(baseUrl) || webhookUrl !== undefined) implied.push("webhook");
  if (foreignKey !== undefined) implied.push("foreignKey");
  return implied;
}

async function tryKey(
  { baseUrl, endpointId, apiKey }: Target,
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
  const client = new JobClient({ transport, redactor, baseUrl, endpointId, apiKey });
  const exchange = await client.health({ timeoutMs: firstAnswerMs });
  if (exchange.answer === undefined) throw unreachable(baseUrl, exchange);
  if (exchange.answer.status === 401) {
    throw new HarnessError(
      "KEY_REFUSED",
      `the target at ${baseUrl} refused the key: health of endpoint ${endpointId} answered 401`,
      "Check --api-key and --endpoint; the key has to be valid for that endpoint.",
    );
  }
  const health = readBody(exchange, "HealthAnswer");
  return health.ok ? health.body.workers.idle + health.body.workers.running : 1;
}

function unreachable(baseUrl: string, exchange: Exchange): HarnessError {
  return new HarnessError(
    "TARGET_UNREACHABLE",
    `the target at ${baseUrl} did not answer: ${describeFailure(exchange)}`,
    "Start the target, or correct --base-url.",
  );
}
