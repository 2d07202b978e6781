import { unsendableIn } from "../client/sendable.ts";
import { ControlClient, ControlError } from "../client/control-client.ts";
import { JobClient } from "../client/job-client.ts";
import { Redactor } from "../client/redactor.ts";
import type { Transport } from "../client/transport.ts";
import { openTransport } from "./open-transport.ts";
import { bodyOf } from "../client/parsed-body.ts";
import { isLoopback } from "../client/endpoint-address.ts";
import { rulesFor } from "../client/request-rules.ts";
import { withoutTrailingSlash } from "../client/endpoint-address.ts";
import type { Exchange } from "../client/exchange.ts";
import { capabilities, jobKinds } from "../openapi/capabilities.ts";
import { validators } from "../openapi/generated/validators.ts";
import type { Capability } from "../openapi/capabilities.ts";
import { spec } from "./dialects/spec.ts";
import { AccessFinder } from "./discovery/access.ts";
import { Discovery } from "./discovery/discovery.ts";
import { dialectOf } from "./discovery/learned-dialect.ts";
import { Pace } from "./endpoint/pace.ts";
import { sendAtPace } from "./endpoint/send-at-pace.ts";
import {
  learnConnections,
  learnUnreadBodies,
  needsNewConnections,
} from "./discovery/connections.ts";
import { learnTarget } from "./discovery/learn.ts";
import { oneJobId } from "./discovery/one-job.ts";
import type { JobInput } from "./inputs/jobs.ts";
import { conformanceJobs } from "./inputs/conformance-jobs.ts";
import { submitOperations } from "./jobs/submit.ts";
import { kindsOf } from "./inputs/jobs-file.ts";
import { HarnessError } from "./outcome.ts";
import type { OpenedTarget, SeenEndpoint, Target, TargetSettings } from "./target.ts";
import { requestAnswers, demandAlike } from "./endpoints-alike.ts";
import type { EndpointAnswers } from "./endpoints-alike.ts";
import { noControlError, twoServersError } from "./target-addresses.ts";
import { addTargetSecrets } from "./target-secrets.ts";

/** How long the first answer may take before the target counts as not reachable. */
const firstAnswerMs = 10_000;
/** Bounds the number of workers that a target reports, because that decides how much is sent at once. */
const workersMax = 64;

/**
 * Checks that the target answers and accepts the key, and finds out what it offers.
 * @param learns whether it is asked for more than whether it answers, which may make a job
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED, ENDPOINT_UNKNOWN or ENDPOINTS_DIFFER
 * @throws TypeError where a key cannot be sent
 */
export async function openTarget(
  settings: TargetSettings,
  { learns = settings.discovers !== false }: { readonly learns?: boolean } = {},
): Promise<OpenedTarget> {
  demandSendable(settings);
  const rules = rulesFor(settings);
  const redactor = new Redactor();
  const discovery = new Discovery(redactor);
  const transport = openTransport(rules, discovery, 1);
  try {
    const controlled = await controlCapabilities(settings, transport);
    const offered = offeredBy(settings, controlled);
    const { jobs, ...rest } = settings;
    const target: OpenedTarget = {
      ...rest,
      ...(jobs !== undefined && !offered.has("handler") && { jobs }),
      rules,
      discovery,
      pace: new Pace(settings.requestsPerSecond),
      baseUrl: withoutTrailingSlash(settings.baseUrl),
      capabilities: capabilities.filter((capability) => offered.has(capability)),
    };
    addTargetSecrets(redactor, target, rules);
    if (offered.has("endpoints")) {
      await tryFreshEndpoint(target, { transport, learns });
      return target;
    }
    const seen = await tryEndpoints(target, endpointIds(settings), { transport, learns });
    return { ...target, ...seen };
  } finally {
    await transport.close();
  }
}

/** All that a target offers: by its control protocol, by what the user says, and by where it is. */
function offeredBy(
  settings: TargetSettings,
  controlled: readonly Capability[],
): ReadonlySet<Capability> {
  const offered = new Set([...controlled, ...settings.capabilities, ...impliedBy(settings)]);
  const kinds = offered.has("handler") ? jobKinds : kindsOf(settings.jobs ?? {});
  for (const kind of kinds) offered.add(kind);
  if (settings.webhookUrl === undefined && !isLoopback(settings.baseUrl)) offered.delete("webhook");
  return offered;
}

/**
 * Checks that each endpoint accepts the key, and counts the workers of each.
 * @throws HarnessError TARGET_UNREACHABLE, KEY_REFUSED or ENDPOINT_UNKNOWN
 */
async function tryEndpoints(
  target: OpenedTarget,
  ids: readonly string[],
  { transport, learns }: OpeningHow,
): Promise<Partial<Target>> {
  const { discovery, baseUrl, dialect = spec, discovers: adapts = true } = target;
  const seen: SeenEndpoint[] = [];
  const answers: EndpointAnswers[] = [];
  for (const endpointId of ids) {
    const client = clientAt({ ...target, endpointId }, transport);
    const { first } = await new AccessFinder(client, { dialect, discovery, adapts }).find();
    const speaking = client.with({ translation: dialectOf(target) });
    if (seen.length === 0 && learns) {
      await learnUnreadBodies(speaking, discovery, first);
      transport.keepsAlive = !needsNewConnections(discovery);
      await learnMore(speaking, target, first);
      await learnConnections(discovery, transport, baseUrl);
    }
    seen.push({ endpointId, workersSeen: workersIn(dialectOf(target).exchange(first)) });
    if (ids.length > 1) answers.push(await requestAnswers(speaking));
  }
  demandAlike(answers);
  const [first, ...otherEndpoints] = seen;
  return { ...first, otherEndpoints };
}

/**
 * Learns of a target that makes endpoints on one of its own, which is freed again; on a real clock, as it is asked. Where
 * nothing is to be learned, it is only asked whether API and control protocol are of one server.
 */
async function tryFreshEndpoint(target: OpenedTarget, how: OpeningHow): Promise<void> {
  const { controlUrl, baseUrl } = target;
  if (controlUrl === undefined) return;
  const isElsewhere = new URL(baseUrl).origin !== new URL(controlUrl).origin;
  if (!isElsewhere && !how.learns) return;
  const control = new ControlClient(how.transport, controlUrl, { timeoutMs: firstAnswerMs });
  // Where none can be made the first check says so.
  const made = await control.createEndpoint({ workers: 1, clock: "real" }).catch(unlessControl);
  if (made === undefined) return;
  const on = { ...target, ...made };
  // It is gone before anybody could repeat a request to it.
  target.discovery.isRepeatable = false;
  try {
    await tryEndpoints(on, [made.endpointId], how);
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    if (error.code === "TARGET_UNREACHABLE") {
      // The server is there, as its control protocol shows: which operations do not answer is for the checks to judge.
      if (!isElsewhere || (await answersRun(on, how.transport))) return;
      throw error;
    }
    throw isElsewhere ? twoServersError({ baseUrl, controlUrl }, error) : error;
  } finally {
    await control.deleteEndpoint(made.endpointId).catch(unlessControl);
  }
}

async function answersRun(target: Target, transport: Transport): Promise<boolean> {
  return (await clientAt(target, transport).run({})).answer !== undefined;
}

function unlessControl(error: unknown): undefined {
  if (error instanceof ControlError) return undefined;
  throw error;
}

interface OpeningHow {
  readonly transport: Transport;
  readonly learns: boolean;
}

async function learnMore(client: JobClient, target: OpenedTarget, first: Exchange): Promise<void> {
  const { discovery, dialect = spec, capabilities: offered, pace } = target;
  const own = ownInputs(target);
  // A made-up input only where its owner allows what it may do.
  const madeUp = offered.includes("load") ? [{}, conformanceJobs.quick()] : [];
  const inputs = own.length === 0 ? madeUp : own;
  await learnTarget(client, discovery, { first, dialect, inputs });
  for (const { seen } of discovery.learned) for (const { answer } of seen) answer?.shorten();
  // What is refused beside another job is not refused for its haste.
  if (discovery.knows(oneJobId)) for (const each of submitOperations) pace.refusedForGood(each);
}

/**
 * The inputs that the owner's jobs, or else the handler, take: first that of a job which is still at work when it is
 * cancelled, but not for long where it cannot be. On a virtual clock such a job would need an advance to end.
 */
function ownInputs({ controlUrl, jobs, capabilities: offered }: Target): readonly JobInput[] {
  const isVirtual = controlUrl !== undefined;
  const slow = jobs?.slow;
  const works = slow !== undefined && slow.atLeastMs >= workMs && slow.atMostMs <= workMsMax;
  const quick = jobs?.quick;
  const own = [
    ...(works && !isVirtual ? [slow.input] : []),
    ...(quick === undefined ? [] : [quick.input]),
  ];
  if (own.length > 0 || !offered.includes("handler")) return own;
  return [isVirtual ? conformanceJobs.quick() : conformanceJobs.slow(workMs)];
}

/** So long the job of the handler works, in milliseconds, and one of the owner's at least and at most. */
const workMs = 3000;
const workMsMax = 60_000;

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

/**
 * A client of the endpoint that a target names, before there is a session.
 * @throws HarnessError TARGET_UNREACHABLE where it names none
 */
export function clientAt(
  { baseUrl, endpointId, apiKey, timeoutMs = firstAnswerMs, discovery, pace = new Pace() }: Target,
  transport: Transport,
): JobClient {
  if (endpointId === undefined || apiKey === undefined) throw nothingNamed();
  return new JobClient({
    transport,
    redactor: discovery?.redactor ?? new Redactor(),
    baseUrl,
    endpointId,
    apiKey,
    timeoutMs: Math.min(timeoutMs, firstAnswerMs),
    send: sendAtPace({ pace, send: async (request) => transport.send(request) }),
  });
}

/** How many workers health shows; 1 where it shows none, since one starts when a job comes. */
function workersIn({ answer }: Exchange): number {
  const body = answer === undefined ? undefined : bodyOf(answer);
  if (body?.ok !== true || !validators.HealthAnswer(body.value)) return 1;
  const { idle, running } = body.value.workers;
  return Math.max(1, Math.min(workersMax, idle + running));
}

/** @throws TypeError where a key cannot be sent as it is; the message does not show it */
function demandSendable({ apiKey, foreignKey }: TargetSettings): void {
  for (const [name, key] of Object.entries({ apiKey, foreignKey })) {
    const character = key === undefined ? undefined : unsendableIn(key);
    if (character !== undefined)
      throw new TypeError(`${name} holds ${character}, which no key can`);
  }
}
