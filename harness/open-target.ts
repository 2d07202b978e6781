import {
  ControlClient,
  ControlError,
  JobClient,
  Redactor,
  Transport,
  bodyOf,
  isLoopback,
  rulesFor,
  withoutTrailingSlash,
} from "../client/index.ts";
import type { Answer, Exchange } from "../client/index.ts";
import { capabilities, jobKinds, validators } from "../openapi/index.ts";
import type { Capability } from "../openapi/index.ts";
import { spec } from "./dialects/index.ts";
import { ConfiguredDialect } from "./dialects/configured-dialect.ts";
import { kindsOf } from "./inputs/jobs-file.ts";
import { HarnessError } from "./outcome.ts";
import type { SeenEndpoint, Target, TargetSettings } from "./target.ts";
import { requestAnswers, demandAlike } from "./endpoints-alike.ts";
import type { EndpointAnswers } from "./endpoints-alike.ts";
import { demandTargetsAnswer } from "./before-target.ts";
import { demandOneServer, noControlError, diagnoseUnreachable } from "./target-addresses.ts";

/** How long the first answer may take before the target counts as not reachable. */
const firstAnswerMs = 10_000;
/** Bounds the number of workers that a target reports, because that decides how much is sent at once. */
const workersMax = 64;

/**
 * Checks that the target answers and accepts the key, and finds out what it offers.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED, ENDPOINT_UNKNOWN or ENDPOINTS_DIFFER
 */
export async function openTarget(settings: TargetSettings): Promise<Target> {
  const rules = rulesFor(settings);
  const transport = new Transport(rules, 1);
  try {
    const controlled = await controlCapabilities(settings, transport);
    const offered = new Set([...controlled, ...settings.capabilities, ...impliedBy(settings)]);
    const hasHandler = offered.has("handler");
    for (const kind of hasHandler ? jobKinds : kindsOf(settings.jobs ?? {})) offered.add(kind);
    if (settings.webhookUrl === undefined && !isLoopback(settings.baseUrl)) {
      offered.delete("webhook");
    }
    const { jobs, ...rest } = settings;
    const target: Target = {
      ...rest,
      ...(jobs !== undefined && !hasHandler && { jobs }),
      rules,
      baseUrl: withoutTrailingSlash(settings.baseUrl),
      capabilities: capabilities.filter((capability) => offered.has(capability)),
    };
    if (controlled.includes("endpoints") && settings.controlUrl !== undefined) {
      const { baseUrl, timeoutMs = firstAnswerMs } = target;
      await demandOneServer({ baseUrl, controlUrl: settings.controlUrl, timeoutMs }, transport);
    }
    if (offered.has("endpoints")) return target;
    return { ...target, ...(await tryEndpoints(target, endpointIds(settings), transport)) };
  } finally {
    await transport.close();
  }
}

/** Checks that each endpoint accepts the key, and counts the workers of each. */
async function tryEndpoints(
  target: Target,
  ids: readonly string[],
  transport: Transport,
): Promise<Partial<Target>> {
  const seen: SeenEndpoint[] = [];
  const answers: EndpointAnswers[] = [];
  for (const endpointId of ids) {
    const client = clientAt({ ...target, endpointId }, transport);
    seen.push({ endpointId, workersSeen: await tryKey(client, target) });
    if (ids.length > 1) answers.push(await requestAnswers(client));
  }
  demandAlike(answers);
  const [first, ...otherEndpoints] = seen;
  return { ...first, otherEndpoints };
}

/** @throws HarnessError TARGET_UNREACHABLE where none is named */
function endpointIds({ endpointId, otherEndpointIds = [] }: TargetSettings): readonly string[] {
  if (endpointId !== undefined) return [endpointId, ...otherEndpointIds];
  throw nothingNamed();
}

function nothingNamed(): HarnessError {
  return new HarnessError(
    "TARGET_UNREACHABLE",
    "the target makes no fresh endpoints, and no endpoint and key were given",
    "Give --endpoint and --api-key.",
  );
}

async function controlCapabilities(
  { controlUrl, timeoutMs, jobs }: TargetSettings,
  transport: Transport,
): Promise<readonly Capability[]> {
  if (controlUrl === undefined) return [];
  try {
    const within = { timeoutMs: Math.min(timeoutMs ?? firstAnswerMs, firstAnswerMs) };
    const { capabilities: offered } = await new ControlClient(transport, controlUrl, within).info();
    // A user who names jobs says that the handler is not the conformance handler.
    return jobs === undefined
      ? ["handler", ...offered]
      : offered.filter((capability) => capability !== "handler");
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    throw noControlError(controlUrl, error);
  }
}

/** The capabilities that follow from the target's address and the given keys (docs/options.md#capabilities). */
function impliedBy({ baseUrl, webhookUrl, foreignKey }: TargetSettings): Capability[] {
  const implied: Capability[] = [];
  if (isLoopback(baseUrl)) implied.push("load");
  if (isLoopback(baseUrl) || webhookUrl !== undefined) implied.push("webhook");
  if (foreignKey !== undefined) implied.push("foreignKey");
  return implied;
}

function clientAt(
  { baseUrl, endpointId, apiKey, timeoutMs = firstAnswerMs, dialect = spec }: Target,
  transport: Transport,
): JobClient {
  if (endpointId === undefined || apiKey === undefined) throw nothingNamed();
  return new JobClient({
    transport,
    redactor: new Redactor(),
    baseUrl,
    endpointId,
    apiKey,
    translation: new ConfiguredDialect(dialect),
    timeoutMs: Math.min(timeoutMs, firstAnswerMs),
  });
}

/**
 * Checks that the endpoint accepts the key, and counts its workers.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED or ENDPOINT_UNKNOWN
 */
async function tryKey(client: JobClient, { dialect = spec }: Target): Promise<number> {
  const { baseUrl, transport } = client.options;
  const hasHealth = new ConfiguredDialect(dialect).obstacle("health") === undefined;
  // Any answer will do: the checks judge what it says of an unknown job.
  const exchange = await (hasHealth ? client.health() : client.status("queueproof-preflight"));
  if (exchange.answer === undefined) throw await diagnoseUnreachable(baseUrl, exchange, transport);
  demandTargetsAnswer(transport.rules, baseUrl, exchange.answer);
  const { status } = exchange.answer;
  if (status === 401 || status === 403 || (hasHealth && status === 404))
    await demandAccess(client, exchange);
  return workersIn(exchange.answer);
}

/**
 * Tells a wrong key or endpoint id from a target that breaks single operations: sends a submission without input, which
 * makes no job, with the key in both of its forms. If everything is answered 401 or 403, or everything 404, no check
 * could show anything about the target.
 * @throws HarnessError KEY_REFUSED or ENDPOINT_UNKNOWN
 */
async function demandAccess(client: JobClient, first: Exchange): Promise<void> {
  const { baseUrl, endpointId } = client.options;
  const submissions = [await client.run({}), await client.with({ scheme: "bearer" }).run({})];
  const statuses = submissions.map(({ answer }) => answer?.status);
  const asked = `${first.operation} and run`;
  if (statuses.every((status) => status === 401 || status === 403)) {
    throw new HarnessError(
      "KEY_REFUSED",
      `every request with this key was answered ${String(statuses[0])} (${asked} of endpoint ${endpointId} at ${baseUrl}): the key is probably wrong`,
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
