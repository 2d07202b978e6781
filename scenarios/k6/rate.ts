// Scenario: how many requests does each operation let through at an arrival rate below, at and above
//   its limit, held over two windows?
// Limits: below everything is accepted; at the limit next to everything; above it between two and
//   three times the limit, by the kind of window, and every other answer is 429.
// Cost: 7.6 times the limit in requests for each operation; a job for each request to run and
//   runsync, one for each request to cancel beforehand; 20 s for each rate.
import exec from "k6/execution";
import http from "k6/http";
import type { RefinedResponse, ResponseType } from "k6/http";
import { Counter, Trend } from "k6/metrics";
import type { Options, Scenario, Threshold } from "k6/options";

import { bodyIn, routeOf, valueAt } from "../../openapi/departures.ts";
import { isOwnFault } from "../../openapi/operations.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { plannedIn } from "../scenario.ts";
import { arrivalScenario, lateByMs } from "./arrivals.ts";
import { endpointHeaders, timeout } from "./requests.ts";
import { segmentShareOf, untilStartMs, waitForStart } from "./segment.ts";
import { lateMs, readRateSettings, redirectsFollowed, wholeBody } from "./settings.ts";
import type { K6Endpoint, K6RatePhase } from "./settings.ts";

const { phases } = readRateSettings(__ENV["QUEUEPROOF_SCENARIO"]);
const phaseNamed = new Map(phases.map((phase) => [phase.name, phase]));

const sent = new Counter("requests_sent");
const accepted = new Counter("requests_accepted");
const refused = new Counter("requests_refused");
const faulty = new Counter("requests_faulty");
const others = new Counter("requests_other");
const unanswered = new Counter("requests_unanswered");
const late = new Counter("requests_late");
const lateness = new Trend("lateness", true);

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 299 }, 429));

export const options: Options = {
  ...redirectsFollowed,
  discardResponseBodies: true,
  setupTimeout: `${120_000 + untilStartMs()}ms`,
  noVUConnectionReuse: false,
  scenarios: Object.fromEntries(phases.map((phase) => [phase.name, scenarioOf(phase)])),
  thresholds: Object.fromEntries(phases.flatMap(thresholdsOf)),
};

function scenarioOf(phase: K6RatePhase): Scenario {
  return {
    ...arrivalScenario(phase),
    exec: "send",
    gracefulStop: "10s",
    tags: { phase: phase.name },
  };
}

function thresholdsOf({ name, ...phase }: K6RatePhase): [string, Threshold[]][] {
  return [
    [`requests_sent{phase:${name}}`, between(phase.sent)],
    [`requests_accepted{phase:${name}}`, between(phase.accepted)],
    // Without a threshold of its own k6 leaves a part of a counter out of its summary.
    [`requests_refused{phase:${name}}`, ["count>=0"]],
    [`requests_faulty{phase:${name}}`, ["count==0"]],
    [`requests_other{phase:${name}}`, ["count==0"]],
    [`requests_unanswered{phase:${name}}`, ["count==0"]],
    [`requests_late{phase:${name}}`, ["count>=0"]],
    [`dropped_iterations{phase:${name}}`, ["count>=0"]],
    [`lateness{phase:${name}}`, [`max<=${phase.errorMsMax}`]],
    [`http_req_duration{phase:${name}}`, ["max>=0"]],
  ];
}

function between({ min, max }: K6RatePhase["sent"]): Threshold[] {
  return [`count>=${min}`, `count<=${max}`];
}

/** The jobs each phase asks for, by its name. */
type Jobs = Readonly<Record<string, readonly string[]>>;

export function setup(): Jobs {
  const jobs = Object.fromEntries(phases.map((phase) => [phase.name, prepare(phase)]));
  waitForStart();
  return jobs;
}

function prepare(phase: K6RatePhase): readonly string[] {
  const { endpoint, operation } = phase;
  if (operation === "status") return submit(endpoint, { op: "echo", value: 1 }, 1);
  if (operation === "stream") {
    return submit(endpoint, { op: "stream", count: 1, intervalMs: 1 }, 1);
  }
  // Each request gets its own job: a cancelled job need not accept another cancel. Jobs that are left over soon expire.
  if (operation === "cancel") {
    const livesMs = untilStartMs() + phase.startMs + phase.durationMs + livesOnMs;
    const policy = { ttl: livesMs, executionTimeout: livesMs };
    return submit(
      endpoint,
      { op: "sleep", ms: 600_000 },
      segmentShareOf(plannedIn(phase)) + 1,
      policy,
    );
  }
  return [];
}

/** How much longer the jobs to cancel live than the phase that cancels them. */
const livesOnMs = 20_000;

function submit(
  endpoint: K6Endpoint,
  input: object,
  count: number,
  policy?: object,
): readonly string[] {
  const body = JSON.stringify(policy === undefined ? { input } : { input, policy });
  const { method, path } = routeOf("run", "", endpoint.routes);
  const url = `${endpoint.url}${path}`;
  const ids: string[] = [];
  while (ids.length < count) {
    const some = Math.min(50, count - ids.length);
    const requests = Array.from({ length: some }, () => {
      const params = { headers: endpointHeaders(endpoint), timeout, responseType: "text" as const };
      return { method, url, body, params };
    });
    for (const response of http.batch(requests)) ids.push(idOf(response, endpoint));
  }
  return ids;
}

function idOf(
  response: RefinedResponse<ResponseType | undefined>,
  { answers }: K6Endpoint,
): string {
  const body = response.status < 300 ? bodyIn(response.json(wholeBody), answers) : undefined;
  const id = valueAt(body, "id");
  if (typeof id === "string") return id;
  exec.test.abort(`run answered ${response.status} before the test`);
  return "";
}

/** Sends one request and counts its answer. Its lateness is measured from its planned moment. */
export function send(jobs: Jobs): void {
  const { name, iterationInTest, iterationInInstance } = exec.scenario;
  const phase = phaseNamed.get(name);
  // An arrival rate sends one request more than planned, because it sends one at either end.
  if (phase === undefined || iterationInTest >= plannedIn(phase)) return;
  const latenessMs = lateByMs(phase);
  lateness.add(latenessMs);
  if (latenessMs > lateMs) late.add(1);
  sent.add(1);

  const job = jobFor(jobs[name] ?? [], iterationInInstance);
  const {
    method,
    path,
    body = bodyOf(phase.operation),
  } = routeOf(phase.operation, job, phase.endpoint.routes);
  const url = `${phase.endpoint.url}${path}`;
  const headers = endpointHeaders(phase.endpoint);
  const params = { headers, timeout, tags: { name: phase.operation } };
  const { status } = http.request(method, url, body, params);
  if (status === 0) unanswered.add(1);
  else if (status >= 200 && status < 300) accepted.add(1);
  else if (status === 429) refused.add(1);
  else if (isOwnFault(status)) faulty.add(1);
  else others.add(1);
}

function jobFor(jobs: readonly string[], index: number): string {
  return encodeURIComponent(jobs[index % Math.max(1, jobs.length)] ?? "");
}

function bodyOf(operation: OperationName): string | null {
  if (operation === "openai") return chat;
  return operation === "run" || operation === "runsync" ? echo : null;
}

const echo = JSON.stringify({ input: { op: "echo", value: 1 } });
const chat = JSON.stringify({ model: "any", messages: [{ role: "user", content: "hello" }] });
