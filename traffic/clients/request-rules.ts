import { isSubmission } from "../../openapi/operations.ts";
import { show } from "../../harness/show.ts";
import { askedFor, jsonOf, memberOf, placeOf, queryOf } from "../recording/recorded-exchange.ts";
import type { AskedFor, RecordedExchange } from "../recording/recorded-exchange.ts";
import { breach } from "../decision.ts";
import type { Breach } from "../decision.ts";
import { ofEach, operationOf } from "./traffic-rule.ts";
import type { ClientTraffic, TrafficRule } from "./traffic-rule.ts";
import { isJsonObject } from "../../client/parse-json.ts";

// What each request has to look like (docs/specification.md#authentication, #endpoints, #limits).

/** Whether a request goes to the service, and not where the client was redirected to. */
function isHome({ origin }: RecordedExchange, traffic: ClientTraffic): boolean {
  return traffic.origin === undefined || origin === traffic.origin;
}

const carriesKey: TrafficRule = {
  requirement: "CLNT-01",
  shownBy: "a request",
  observe: ofEach((exchange, traffic) => {
    if (!isHome(exchange, traffic)) return undefined;
    const { authorization } = exchange.headers;
    const given = authorization?.replace(/^Bearer /i, "");
    if (given !== undefined && traffic.keys.includes(given)) return "holds";
    const got = authorization === undefined ? "no such header" : "another value";
    return breach(
      `${placeOf(exchange)}, header authorization`,
      "the key, bare or after `Bearer `",
      got,
      exchange,
    );
  }),
};

const keyStandsNowhereElse: TrafficRule = {
  requirement: "CLNT-02",
  shownBy: "a request",
  observe: ofEach((exchange, traffic) => {
    const place = keyPlace(exchange, traffic);
    return place === undefined
      ? "holds"
      : breach(placeOf(exchange), "the key in the header authorization alone", place, exchange);
  }),
};

function keyPlace(exchange: RecordedExchange, traffic: ClientTraffic): string | undefined {
  const { target, headers, body, origin } = exchange;
  const isIn = (text: string): boolean =>
    traffic.keys.some((key) => text.includes(key) || text.includes(encodeURIComponent(key)));
  if (isIn(target)) return "the key stands in the URL";
  if (isIn(body.bytes.toString("latin1"))) return "the key stands in the body";
  if (!isHome(exchange, traffic) && Object.values(headers).some(isIn)) {
    return `the key was sent to ${origin}, to which it was redirected`;
  }
  const others = Object.entries(headers).filter(([name]) => name !== "authorization");
  const other = others.find(([, value]) => isIn(value));
  return other === undefined ? undefined : `the key stands in the header ${other[0]}, too`;
}

const asksByMethodAndPath: TrafficRule = {
  requirement: "CLNT-03",
  shownBy: "a request",
  observe: ofEach((exchange, traffic) => {
    if (!isHome(exchange, traffic)) return undefined;
    if (askedFor(exchange, traffic.routes) !== undefined) return "holds";
    const [path = ""] = exchange.target.split("?");
    const below = /\/v2\/[^/]+(\/.*)$/.exec(path)?.[1];
    const wanted = traffic.routes.find(
      (route) => below?.split("/")[1] === route.path.split("/")[1] && route.path !== below,
    );
    // An id that was not encoded makes more segments of a path that is right: that is told of ids.
    if (wanted !== undefined && wanted.method === exchange.method) return undefined;
    const expected =
      wanted === undefined
        ? "a path of the specification"
        : `${wanted.method} /v2/<endpoint_id>${wanted.path.replace(":jobId", "<job_id>")}`;
    return breach("method and path", expected, placeOf(exchange), exchange);
  }),
};

/** The body of a submission; undefined where the request is none. */
function submissionOf(
  exchange: RecordedExchange,
  traffic: ClientTraffic,
): "run" | "runsync" | undefined {
  const operation = operationOf(exchange, traffic);
  return isSubmission(operation) ? operation : undefined;
}

const submitsAnInput: TrafficRule = {
  requirement: "CLNT-04",
  shownBy: "a submission with its body",
  observe: ofEach((exchange, traffic) => {
    if (submissionOf(exchange, traffic) === undefined || exchange.body.kind !== "whole")
      return undefined;
    const place = placeOf(exchange);
    const { "content-type": type = "none" } = exchange.headers;
    if (!/^application\/json\s*(?:;|$)/i.test(type)) {
      return breach(`${place}, content-type`, "application/json", show(type), exchange);
    }
    const body = jsonOf(exchange.body);
    if (!isJsonObject(body)) return breach(place, "a JSON object", bodyText(exchange), exchange);
    const input = memberOf(body, "input");
    return isJsonObject(input)
      ? "holds"
      : breach(`${place}, input`, "a JSON object", show(input), exchange);
  }),
};

function bodyText({ body }: RecordedExchange): string {
  return body.bytes.length === 0 ? "no body" : show(body.bytes.toString("utf8", 0, 200));
}

const dayMs = 86_400_000;
/** The bounds of whole numbers of a submission (docs/specification.md#limits), in milliseconds. */
const bounds = {
  wait: [1_000, 300_000],
  executionTimeout: [5_000, 7 * dayMs],
  ttl: [10_000, 7 * dayMs],
} as const;

const keepsBounds: TrafficRule = {
  requirement: "CLNT-05",
  shownBy: "a submission with wait, executionTimeout, ttl or lowPriority",
  observe: ofEach((exchange, traffic) => {
    if (submissionOf(exchange, traffic) === undefined) return undefined;
    const policy = memberOf(jsonOf(exchange.body), "policy");
    const wait = queryOf(exchange, "wait");
    const given: readonly (readonly [string, unknown])[] = [
      ["wait", wait === null ? undefined : numberIn(wait)],
      ["executionTimeout", memberOf(policy, "executionTimeout")],
      ["ttl", memberOf(policy, "ttl")],
      ["lowPriority", memberOf(policy, "lowPriority")],
    ];
    const sent = given.filter(([, value]) => value !== undefined);
    const broken = sent.flatMap(([name, value]) => outOfBounds(name, value, exchange))[0];
    return broken ?? (sent.length > 0 ? "holds" : undefined);
  }),
};

function numberIn(text: string): unknown {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function outOfBounds(name: string, value: unknown, exchange: RecordedExchange): readonly Breach[] {
  const place = `${placeOf(exchange)}, ${name}`;
  if (name === "lowPriority") {
    return typeof value === "boolean"
      ? []
      : [breach(place, "true or false", show(value), exchange)];
  }
  const [least, most] = bounds[name === "wait" || name === "ttl" ? name : "executionTimeout"];
  const isRight =
    typeof value === "number" && Number.isInteger(value) && value >= least && value <= most;
  return isRight
    ? []
    : [breach(place, `a whole number from ${least} to ${most}`, show(value), exchange)];
}

const bytesMax = { run: 10_000_000, runsync: 20_000_000 } as const;
/** 10 MB may be meant as 10 MiB, so that only what is above both is too much. */
const mebi = 1.048_576;

const keepsSize: TrafficRule = {
  requirement: "CLNT-06",
  shownBy: "a submission with its body",
  observe: ofEach((exchange, traffic) => {
    const operation = submissionOf(exchange, traffic);
    if (operation === undefined) return undefined;
    const told = Number(exchange.headers["content-length"] ?? exchange.body.bytes.length);
    const bytes = Math.max(told, exchange.body.bytes.length);
    const most = bytesMax[operation];
    return bytes <= most * mebi
      ? "holds"
      : breach(placeOf(exchange), `at most ${most / 1_000_000} MB`, `${bytes} bytes`, exchange);
  }),
};

/** Ids that the service has given, each with the endpoint that gave it. */
const asksForIdsAsGiven: TrafficRule = {
  requirement: "CLNT-07",
  shownBy: "a read, cancel or retry of a job whose submission was seen",
  observe: ({ exchanges, routes }) => {
    const given = new Map<string, string>();
    return exchanges.map((exchange) => {
      const asked = askedFor(exchange, routes);
      learnId(exchange, asked, given);
      const by = asked?.jobId === undefined ? undefined : given.get(asked.jobId);
      if (by === undefined || asked === undefined) return brokenId(exchange, given);
      if (by === asked.endpointId) return "holds";
      const expected = `the endpoint ${by}, which gave the id`;
      return breach(placeOf(exchange), expected, asked.endpointId, exchange);
    });
  },
};

/** Remembers the id that a submission was answered with, and the endpoint that gave it. */
function learnId(
  { answer }: RecordedExchange,
  asked: AskedFor | undefined,
  given: Map<string, string>,
): void {
  if (asked?.operation !== "run" && asked?.operation !== "runsync") return;
  const id = answer === undefined ? undefined : memberOf(jsonOf(answer.body), "id");
  if (typeof id === "string") given.set(id, asked.endpointId);
}

/** A path that holds a given id as it is, although it is more than one segment or needs encoding. */
function brokenId(
  exchange: RecordedExchange,
  given: ReadonlyMap<string, string>,
): Breach | undefined {
  for (const id of given.keys()) {
    const encoded = encodeURIComponent(id);
    if (encoded === id || exchange.target.includes(encoded)) continue;
    // What a URL keeps of an id that was not encoded: all before its first # or ?, spaces encoded.
    const rest = encodeURI(id).split(/[?#]/)[0] ?? "";
    const isOfId = rest.length > 3 && exchange.target.includes(rest);
    if (isOfId) {
      return breach(
        placeOf(exchange),
        `the id as one segment, ${encoded}`,
        exchange.target,
        exchange,
      );
    }
  }
  return undefined;
}

export const requestRules: readonly TrafficRule[] = [
  carriesKey,
  keyStandsNowhereElse,
  asksByMethodAndPath,
  submitsAnInput,
  keepsBounds,
  keepsSize,
  asksForIdsAsGiven,
];
