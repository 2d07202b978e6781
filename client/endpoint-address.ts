import { segmentOf } from "./job-client.ts";
import type { OutgoingRequest } from "./translation.ts";
import type { JobClientOptions } from "./job-client.ts";
import { isIPv4 } from "node:net";

/** Where the operations of an endpoint are, and what its key is sent as, both in the target's terms. */
export interface EndpointAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly authorization: string;
}

/** For tools that send requests by themselves, such as k6: they add an operation's path and the header. */
export function endpointAddressOf({
  baseUrl,
  endpointId,
  apiKey = "",
  translation,
}: Pick<JobClientOptions, "apiKey" | "baseUrl" | "endpointId" | "translation">): EndpointAddress {
  const endpointSegment = segmentOf(endpointId);
  const usual: OutgoingRequest = {
    operation: "health",
    method: "GET",
    path: `/v2/${endpointSegment}/health`,
    endpointSegment,
    headers: { authorization: apiKey },
  };
  const { path, headers } = translation?.request(usual) ?? usual;
  return {
    url: `${baseUrl}${path.replace(/\/health\/?$/, "")}`,
    authorization: headers["authorization"] ?? "",
  };
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
