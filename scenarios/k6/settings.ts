import type { AnswerForm, RoutesByOperation } from "../../openapi/departures.ts";
import type { OperationName } from "../../openapi/operations.ts";
import type { ArrivalRate, Phase } from "../scenario.ts";
import type { Bounds } from "../rate.ts";

/** Where an operation is called, and with which key. */
export interface K6Endpoint {
  /** `{base_url}/v2/<endpoint_id>` */
  readonly url: string;
  /** Absent where QUEUEPROOF_API_KEY holds the key. */
  readonly authorization?: string;
  /** The operations that are called otherwise than the specification says. */
  readonly routes?: RoutesByOperation;
  /** How its answers depart from the specification. */
  readonly answers?: AnswerForm;
}

/** Requests of one operation; so few are in flight that every 429 is the rate limit's. */
export interface K6RatePhase extends ArrivalRate {
  readonly endpoint: K6Endpoint;
  readonly operation: OperationName;
  readonly sent: Bounds;
  readonly accepted: Bounds;
  readonly errorMsMax: number;
}

/** What scenarios/k6/rate.ts finds as JSON in QUEUEPROOF_SCENARIO. */
export interface K6RateSettings {
  readonly phases: readonly K6RatePhase[];
}

/** What QUEUEPROOF_REQUESTS holds as JSON: what every request carries, and how long its answer may take. */
export interface K6Requests {
  /** The only origins that requests may go to. Only requests to the first one get the headers. */
  readonly origins: readonly string[];
  readonly userAgent: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isTraced: boolean;
  readonly timeoutMs: number;
}

/** Reads QUEUEPROOF_REQUESTS. It is missing where a script is started by hand: requests then carry nothing extra. */
export function readRequests(text: string | undefined): Partial<K6Requests> {
  const requests: unknown = JSON.parse(text ?? "{}");
  if (holds<Partial<K6Requests>>(requests)) return requests;
  throw new Error("QUEUEPROOF_REQUESTS holds no object");
}

/** Checks only that there is an object with a certain member, because the driver writes it from the same type. */
function holds<Settings>(value: unknown, member?: keyof Settings): value is Settings {
  if (typeof value !== "object" || value === null) return false;
  return member === undefined || member in value;
}

/** A redirect counts as an answer. Following it would put the load, and thus the figures, on another server. */
export const redirectsFollowed = { maxRedirects: 0 };

/** Selects all of a body. Where k6 is given no selector it throws at a body that is no JSON. */
export const wholeBody = "@this";

/** A request sent this much after its moment is counted as late. */
export const lateMs = 100;

/**
 * The settings of a rate run; none where the variable is missing, so that `k6 inspect` can read the
 * script.
 */
export function readRateSettings(text: string | undefined): K6RateSettings {
  const settings: unknown = JSON.parse(text ?? '{"phases":[]}');
  if (holds<K6RateSettings>(settings, "phases")) return settings;
  throw new Error("QUEUEPROOF_SCENARIO holds no phases");
}

/** What the script of a scenario finds as JSON in QUEUEPROOF_SCENARIO. */
export interface K6ScenarioSettings {
  readonly endpoint: K6Endpoint;
  /** The address of this endpoint in the control protocol, where the scenario needs it. */
  readonly controlUrl?: string | undefined;
  /** Where webhooks are received. */
  readonly webhookUrl?: string | undefined;
  readonly phases: readonly Phase[];
  readonly values: Readonly<Record<string, number>>;
  readonly thresholds: Readonly<Record<string, readonly string[]>>;
  /** The jobs of the owner's jobs file; absent where workers run the conformance handler. */
  readonly own?: K6OwnJobs;
}

/** What a script submits in place of inputs of the conformance handler. */
export interface K6OwnJobs {
  /** They are submitted in turn. */
  readonly quick: readonly K6OwnJob[];
  readonly slow?: object;
  readonly streaming?: object;
}

export interface K6OwnJob {
  readonly input: object;
  /** Absent where it is not known. */
  readonly output?: unknown;
}

const nothing: K6ScenarioSettings = {
  endpoint: { url: "", authorization: "" },
  phases: [],
  values: {},
  thresholds: {},
};

/** The settings of a scenario; empty where the variable is missing, so that `k6 inspect` can read the script. */
export function readScenarioSettings(text: string | undefined): K6ScenarioSettings {
  if (text === undefined) return nothing;
  const settings: unknown = JSON.parse(text);
  if (holds<K6ScenarioSettings>(settings, "thresholds")) return settings;
  throw new Error("QUEUEPROOF_SCENARIO holds no settings");
}
