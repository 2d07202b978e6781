import { operationNamed, operations } from "../openapi/operations.ts";
import type { Operation, OperationName } from "../openapi/operations.ts";
import type { AnswerForm, MethodAndPath, RoutesByOperation } from "../openapi/departures.ts";
import { segmentOf } from "./job-client.ts";
import type { OutgoingRequest } from "./translation.ts";
import type { JobClientOptions } from "./job-client.ts";
import { isIPv4 } from "node:net";

/** Where the operations of an endpoint are, and what its key is sent as, both in the target's terms. */
export interface EndpointAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly authorization: string;
  /** The operations that are called otherwise than the specification says; absent where none is. */
  readonly routes?: RoutesByOperation;
  /** Absent where answers are as the specification says. */
  readonly answers?: AnswerForm;
}

/** For tools that send requests by themselves, such as k6: they add an operation's path and the header. */
export function endpointAddressOf({
  baseUrl,
  endpointId,
  apiKey = "",
  translation,
}: Pick<JobClientOptions, "apiKey" | "baseUrl" | "endpointId" | "translation">): EndpointAddress {
  const endpointSegment = segmentOf(endpointId);
  const asked = ({ name, method, path }: Operation): OutgoingRequest => {
    const headers = { authorization: apiKey };
    const whole = `/v2/${endpointSegment}${path}`;
    const usual = { operation: name, method, path: whole, endpointSegment, headers };
    return translation?.request(usual) ?? usual;
  };
  const { path, headers } = asked(operationNamed.health);
  const below = path.replace(/\/health\/?$/, "");
  const routes: Partial<Record<OperationName, MethodAndPath>> = {};
  for (const each of operations) {
    const route = routeIn(asked(each), below);
    if (route.method !== each.method || route.path !== each.path || route.body !== undefined)
      routes[each.name] = route;
  }
  const { answers = {} } = translation ?? {};
  return {
    url: `${baseUrl}${below}`,
    authorization: headers["authorization"] ?? "",
    ...(Object.keys(routes).length > 0 && { routes }),
    ...(Object.keys(answers).length > 0 && { answers }),
  };
}

function routeIn({ method, path, body }: OutgoingRequest, below: string): MethodAndPath {
  const route = { method, path: path.slice(below.length) };
  return body === undefined ? route : { ...route, body: String(body) };
}

/** Whether a URL leads to this machine alone. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  if (hostname === "localhost" || hostname === "[::1]") return true;
  return isIPv4(hostname) && hostname.startsWith("127.");
}

/** An address without the slashes at its end, so that paths can be put behind it. */
export function withoutTrailingSlash(url: string): string {
  return url.replace(/\/+$/, "");
}
