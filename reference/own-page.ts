import { isIP } from "node:net";

import type { FastifyRequest } from "fastify";

import { WEBHOOK_HEADER } from "./webhook-targets.ts";

type AskedPage = Pick<FastifyRequest, "raw" | "headers">;

/**
 * Why a request that needs no key is refused; undefined where it may be answered. Such requests come
 * from this machine alone, and a browser may send them for our own page alone: a foreign page names
 * itself as origin, and one that has its name resolved to this machine (DNS rebinding) names a host
 * that is neither an address nor this machine's own name. Webhooks of an emulator, this one or another, come from
 * this machine, too, and are sent where somebody with a key wants.
 */
export function refusalOfStranger(request: AskedPage): string | undefined {
  if (!isLoopback(request.raw.socket.remoteAddress)) {
    return "this is offered to loopback clients alone";
  }
  if (request.headers[WEBHOOK_HEADER] !== undefined) return "webhooks are refused here";
  return refusalOfPage(request);
}

/** The same of a request that may come from another machine: names are looked at where it does not. */
export function refusalOfPage({ raw, headers }: AskedPage): string | undefined {
  const { host = "", origin } = headers;
  if (isLoopback(raw.socket.remoteAddress) && !isOwnName(host)) {
    return "the host of the request must be localhost or an address";
  }
  if (origin !== undefined && origin !== `http://${host}`) {
    return "requests of other web pages are refused";
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return "requests of other web pages are refused";
  }
  return undefined;
}

/**
 * Why a request of the job API is refused although it may have the right key, as the keys of an emulator are in many
 * places: a web page that has its name resolved to this machine. Its host alone tells it, whatever its origin.
 */
export function refusalOfHost(
  { raw, headers: { host = "" } }: FastifyRequest,
  allowedHosts: readonly string[],
): string | undefined {
  const isForeign = isLoopback(raw.socket.remoteAddress) && !isOwnName(host);
  if (!isForeign || allowedHosts.includes(nameIn(host))) return undefined;
  return `the host of the request must be localhost or an address: start it with --allow-host ${nameIn(host)} to allow it`;
}

function nameIn(host: string): string {
  return host.replace(/:\d+$/, "");
}

function isOwnName(host: string): boolean {
  const name = nameIn(host);
  const address = name.replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name.endsWith(".localhost") || isIP(address) !== 0;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (address === "::1" || /^(?:::ffff:)?127\./.test(address));
}
