// What the scripts of scenarios share: their settings, their options, and how requests are counted.
import { sleep } from "k6";
import exec from "k6/execution";
import http from "k6/http";
import type { RefinedResponse } from "k6/http";
import { Counter, Trend } from "k6/metrics";
import type { Options, Scenario } from "k6/options";

import { bodyIn, routeOf, valueAt } from "../../openapi/departures.ts";
import type { OperationName } from "../../openapi/operations.ts";
import { plannedIn } from "../scenario.ts";
import type { Phase } from "../scenario.ts";
import { arrivalScenario, lateByMs } from "./arrivals.ts";
import { endpointHeaders, headersFor, timeout } from "./requests.ts";
import { untilStartMs, waitForStart } from "./segment.ts";
import { readScenarioSettings, redirectsFollowed, wholeBody } from "./settings.ts";

export const settings = readScenarioSettings(__ENV["QUEUEPROOF_SCENARIO"]);

const beganAt = new Trend("began_at");
const begun = new Counter("iterations_begun");
const lateness = new Trend("lateness", true);
const sent = new Counter("requests_sent");
const accepted = new Counter("requests_accepted");
const refused = new Counter("requests_refused");
const unexpected = new Counter("requests_unexpected");
const broken = new Counter("requests_broken");
const unanswered = new Counter("requests_unanswered");

http.setResponseCallback(http.expectedStatuses({ min: 200, max: 499 }));

/** The options of k6 for the phases and the thresholds in the settings: every script exports them. */
export const options: Options = {
  ...redirectsFollowed,
  setupTimeout: `${60_000 + untilStartMs()}ms`,
  batch: 20,
  batchPerHost: 20,
  scenarios: Object.fromEntries(settings.phases.map((phase) => [phase.name, scenarioOf(phase)])),
  thresholds: Object.fromEntries(
    Object.entries(settings.thresholds).map(([metric, all]) => [metric, [...all]]),
  ),
};

function scenarioOf(phase: Phase): Scenario {
  const common = {
    exec: phase.does,
    gracefulStop: "30s",
    tags: { phase: phase.name, ...(phase.kind === "arrivals" ? phase.tags : {}) },
  };
  if (phase.kind === "virtual-users") {
    return {
      ...common,
      executor: "per-vu-iterations",
      vus: phase.users,
      iterations: 1,
      maxDuration: `${phase.longestMs}ms`,
    };
  }
  return { ...common, ...arrivalScenario(phase) };
}

/** A number the plan hands to the script. */
export function valueOf(name: string): number {
  const value = settings.values[name];
  if (value === undefined) throw new Error(`the settings hold no ${name}`);
  return value;
}

/**
 * Ends setup: waits for the moment that the processes of the test agreed on, and records when it was. A script that
 * prepares nothing exports it as its `setup`; any other routes it last in its own.
 */
export function endSetup(): void {
  waitForStart();
  beganAt.add(Date.now());
}

/**
 * An iteration of a script: counts it, and how late it is, and then does what it is there for. An arrival rate begins
 * one iteration more than planned, which does nothing.
 */
export function iteration<Data>(act: (data: Data) => unknown): (data: Data) => void {
  return (data) => {
    const phase = settings.phases.find(({ name }) => name === exec.scenario.name);
    if (phase?.kind === "arrivals") {
      if (exec.scenario.iterationInTest >= plannedIn(phase)) return;
      lateMs = lateByMs(phase);
      lateness.add(lateMs);
    }
    begun.add(1);
    act(data);
  };
}

let lateMs = 0;

/** By how many ms this iteration began later than planned. */
export function latenessMs(): number {
  return lateMs;
}

export interface Call {
  readonly job?: string;
  readonly body?: object;
  /** Sent in setup, once by each process. The plan does not include it, so it is not counted as sent. */
  readonly isPrepared?: boolean;
}

export type TextAnswer = RefinedResponse<"text">;

/** Sends a request and counts its answer under the tag `op`. */
export function call(
  operation: OperationName,
  { job = "", body, isPrepared = false }: Call = {},
): TextAnswer {
  const tags = { op: isPrepared ? "prepare" : operation, name: operation };
  if (!isPrepared) sent.add(1, tags);
  const { routes } = settings.endpoint;
  const { method, path, body: due = null } = routeOf(operation, encodeURIComponent(job), routes);
  const answer = http.request(
    method,
    `${settings.endpoint.url}${path}`,
    body === undefined ? due : JSON.stringify(body),
    { headers: endpointHeaders(settings.endpoint), timeout, responseType: "text", tags },
  );
  if (!isPrepared || !wasAccepted(answer)) counterOf(answer.status).add(1, tags);
  return answer;
}

function counterOf(status: number): Counter {
  if (status === 0) return unanswered;
  if (status >= 500) return broken;
  if (status === 429) return refused;
  return status >= 200 && status < 300 ? accepted : unexpected;
}

export function wasAccepted({ status }: TextAnswer): boolean {
  return status >= 200 && status < 300;
}

/** What a success answers, in the specification's terms; undefined for any other answer, and for one that is no JSON. */
export function bodyOf(answer: TextAnswer): unknown {
  return wasAccepted(answer)
    ? bodyIn(answer.json(wholeBody), settings.endpoint.answers)
    : undefined;
}

/** One member of a JSON answer, as text; undefined where there is none. */
export function textIn(answer: TextAnswer, path: string): string | undefined {
  const value = valueAt(bodyOf(answer), path);
  return typeof value === "string" ? value : undefined;
}

export interface Polling {
  readonly everyMs: number;
  readonly longestMs: number;
}

/** Calls `readValue` every `everyMs` until it returns a value or `longestMs` are over. */
export function pollUntilValue<T>(
  readValue: () => T | undefined,
  { everyMs, longestMs }: Polling,
): T | undefined {
  const endMs = Date.now() + longestMs;
  for (;;) {
    const seen = readValue();
    if (seen !== undefined || Date.now() >= endMs) return seen;
    sleep(everyMs / 1_000);
  }
}

/** Pauses until a moment after the start of the phase. */
export function sleepUntil(afterStartMs: number): void {
  const waitMs = exec.scenario.startTime + afterStartMs - Date.now();
  if (waitMs > 0) sleep(waitMs / 1_000);
}

/** Sends a request of the control protocol, for instance to move the clock; one that fails ends the test. */
export function control(method: "POST" | "PUT", path: string, body: object): void {
  const url = `${settings.controlUrl ?? ""}${path}`;
  const answer = http.request(method, url, JSON.stringify(body), {
    headers: headersFor(url, { "content-type": "application/json" }),
    tags: { op: "control", name: "control" },
    timeout: "120s",
  });
  if (answer.status >= 300 || answer.status === 0) {
    exec.test.abort(`the control protocol answered ${answer.status} to ${path}`);
  }
}
