import exec from "k6/execution";

import { readRequests } from "./settings.ts";
import type { K6Endpoint } from "./settings.ts";

const { origins, userAgent, headers, isTraced, timeoutMs } = readRequests(
  __ENV["QUEUEPROOF_REQUESTS"],
);

/** How long an answer may take, in k6's notation. */
export const timeout = `${timeoutMs ?? 60_000}ms`;

/** The headers of one request: its own, and those that every request carries. */
export function headersFor(
  url: string,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const origin = origins?.find((each) => `${url}/`.startsWith(`${each}/`));
  if (origins !== undefined && origin === undefined) {
    exec.test.abort(`${url} is no address of this run: it has ${origins.join(" and ")}`);
  }
  const isTarget = origin !== undefined && origin === origins?.[0];
  return {
    ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
    "accept-encoding": "identity",
    ...(isTarget ? headers : {}),
    ...(isTraced === true ? { traceparent: newTraceparent() } : {}),
    ...own,
  };
}

/** The headers of a request to an endpoint. QUEUEPROOF_API_KEY holds the key if the settings do not. */
export function endpointHeaders({
  url,
  authorization = __ENV["QUEUEPROOF_API_KEY"] ?? "",
}: K6Endpoint): Record<string, string> {
  return headersFor(url, {
    authorization,
    "content-type": "application/json",
    accept: "application/json",
  });
}

/** A new trace for each request (W3C Trace Context). Its flags do not ask the server to keep it. */
function newTraceparent(): string {
  return `00-${word()}${word()}${word()}${word()}-${word()}${word()}-00`;
}

/** Eight random hexadecimal digits, the first of them not 0: no id may be 0. */
function word(): string {
  return Math.floor(0x1000_0000 + Math.random() * 0xf000_0000).toString(16);
}
