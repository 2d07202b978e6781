import { setTimeout as pause } from "node:timers/promises";
import { changed, specified } from "../../reference/behaviour.ts";
import type { Behaviour } from "../../reference/behaviour.ts";
import { inDialect } from "../../reference/dialects.ts";
import type { HandlerFunction } from "../../reference/own-handler.ts";
import { startReference } from "../../reference/start-reference.ts";
import type { Reference } from "../../reference/start-reference.ts";
import { monotonicNowMs } from "../../client/exchange.ts";
import { startProgram } from "../program.ts";
import type { ProgramStart } from "../program.ts";
import { askedFor } from "../recording/recorded-exchange.ts";
import type { OperationRoute, RecordedExchange } from "../recording/recorded-exchange.ts";
import { startRelay } from "../recording/relay.ts";
import type { ArrivedRequest, Relay, Trouble } from "../recording/relay.ts";
import type { ClientScenario, ScenarioCopy, ScenarioInput, ClientScenarioRun } from "./scenario.ts";
import { clientVariables } from "./variables.ts";

export interface ScenarioSettings {
  readonly program: ProgramStart;
  /** Whether clients ask over TLS, with what they have to trust; undefined: without. */
  readonly tls?:
    { readonly cert: string; readonly key: string; readonly caFile: string } | undefined;
  /** The dialect that the reference speaks. */
  readonly dialect: string;
  readonly signal: AbortSignal;
}

/** The scenario's own limit, in terms of what the program is told. */
const limitFactor = 2;

/**
 * Starts a server with the scenario's trouble, has the program ask it, and tells what it did. Programs that run too long
 * are ended, with all that they started; a signal ends them as well.
 * @throws ProgramStartError
 */
export async function runScenario(
  scenario: ClientScenario,
  settings: ScenarioSettings,
): Promise<ClientScenarioRun> {
  const behaviour = behaviourFor(scenario, settings.dialect);
  const reference = await startReference({
    control: false,
    behaviour,
    handler: scenario.handler?.() ?? handlerFor(scenario),
    defaultEndpoint: { workers: 4 },
  });
  const exchanges: RecordedExchange[] = [];
  const seen = { trouble: scenario.trouble === undefined };
  const { routes } = behaviour.surface;
  const relay = await startRelayFor(scenario, { reference, settings, routes, exchanges, seen });
  const startedAtMs = monotonicNowMs();
  try {
    const copies = await Promise.all(
      Array.from({ length: scenario.copies ?? 1 }, async (_, index) =>
        runCopy(scenario, { index, settings, reference, relay }),
      ),
    );
    const durationMs = monotonicNowMs() - startedAtMs;
    // What is still under way is recorded when it is broken off.
    await relay.stop();
    return {
      scenario,
      copies,
      exchanges: exchanges.toSorted((one, other) => one.number - other.number),
      routes,
      origin: relay.baseUrl,
      endpointId: reference.endpointId,
      apiKey: reference.apiKey,
      hadTrouble: seen.trouble,
      startedAtMs,
      durationMs,
    };
  } finally {
    await relay.stop();
    await reference.stop();
  }
}

function behaviourFor({ change }: ClientScenario, dialect: string): Behaviour {
  const spoken = inDialect(dialect, specified) ?? specified;
  return change === undefined ? spoken : changed(spoken, change(spoken));
}

/** How long a job works where nothing else is said. */
const workMs = 300;

function handlerFor(scenario: ClientScenario): HandlerFunction {
  return async (input) => {
    await pause(workMs);
    return outputFor(scenario, input);
  };
}

function outputFor({ output, outputOf }: ClientScenario, input: ScenarioInput): unknown {
  return outputOf === undefined ? output : outputOf(input);
}

interface RelaySetup {
  readonly reference: Reference;
  readonly settings: ScenarioSettings;
  readonly routes: readonly OperationRoute[];
  readonly exchanges: RecordedExchange[];
  /** Set once the trouble has come to a request. */
  readonly seen: { trouble: boolean };
}

async function startRelayFor(scenario: ClientScenario, setup: RelaySetup): Promise<Relay> {
  const { reference, settings, routes, exchanges, seen } = setup;
  const trouble = scenario.trouble?.();
  const asked = new Map<string, number>();
  const { baseUrl } = reference;
  const troubleFor = (request: ArrivedRequest): Trouble | undefined => {
    const found = askedFor(request, routes);
    if (found === undefined || trouble === undefined) return undefined;
    const { hostname, protocol, port } = new URL(relay.baseUrl);
    const isAtHome = request.host.startsWith(hostname);
    const before = asked.get(found.operation) ?? 0;
    if (isAtHome) asked.set(found.operation, before + 1);
    const elsewhere = `${protocol}//localhost:${port}`;
    const server = { elsewhere, cancel: cancelBy(reference) };
    const made = trouble({ ...found, before, isAtHome }, server);
    if (made !== undefined) seen.trouble = true;
    return made;
  };
  const relay = await startRelay({
    baseUrl,
    tls: settings.tls,
    troubleFor,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return relay;
}

/** Cancels a job as another user of the endpoint would. */
function cancelBy({ baseUrl, endpointId, apiKey }: Reference) {
  return async (jobId: string): Promise<unknown> => {
    const url = `${baseUrl}/v2/${endpointId}/cancel/${encodeURIComponent(jobId)}`;
    const answer = await fetch(url, { method: "POST", headers: { authorization: apiKey } });
    return answer.text();
  };
}

interface CopySetup {
  readonly index: number;
  readonly settings: ScenarioSettings;
  readonly reference: Reference;
  readonly relay: Relay;
}

const timeoutMsByDefault = 20_000;

async function runCopy(
  scenario: ClientScenario,
  { index, settings, reference, relay }: CopySetup,
): Promise<ScenarioCopy> {
  const { program, tls, signal } = settings;
  const { task, timeoutMs = timeoutMsByDefault } = scenario;
  const input = { prompt: `${scenario.name} ${index + 1}`, temperature: 0.5, stop: ["a", "b"] };
  const variables = clientVariables({
    baseUrl: relay.baseUrl,
    endpointId: reference.endpointId,
    apiKey: reference.apiKey,
    task,
    input,
    timeoutMs,
    caFile: tls?.caFile,
  });
  const environment = { ...program.environment, ...variables };
  const running = await startProgram({ ...program, environment }, limitFactor * timeoutMs);
  signal.addEventListener("abort", running.stop, { once: true });
  if (signal.aborted) running.stop();
  try {
    return { input, output: outputFor(scenario, input), end: await running.ended };
  } finally {
    signal.removeEventListener("abort", running.stop);
  }
}
