import { isIP } from "node:net";

import type { FastifyRequest } from "fastify";

/**
 * Why a request that needs no key is refused; undefined where it may be answered. Such requests come
 * from this machine alone, and a browser may send them for our own page alone: a foreign page names
 * itself as origin, and one that has its name resolved to this machine (DNS rebinding) names a host
 * that is neither an address nor this machine's own name.
 */
export function refusalOfStranger({ raw, headers }: FastifyRequest): string | undefined {
  if (!isLoopback(raw.socket.remoteAddress)) return "this is offered to loopback clients alone";
  const { host = "", origin } = headers;
  if (!isOwnName(host)) return "the host of the request must be localhost or an address";
  if (origin !== undefined && origin !== `http://${host}`) {
    return "requests of other web pages are refused";
  }
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") {
    return "requests of other web pages are refused";
  }
  return undefined;
}

function isOwnName(host: string): boolean {
  const name = host.replace(/:\d+$/, "");
  const address = name.replace(/^\[(.*)\]$/, "$1");
  return name === "localhost" || name.endsWith(".localhost") || isIP(address) !== 0;
}

function isLoopback(address: string | undefined): boolean {
  return address !== undefined && (address === "::1" || /^(?:::ffff:)?127\./.test(address));
}
