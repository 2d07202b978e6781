import { insistsOnHttp2, proxyFor } from "../client/connect.ts";
import { isLoopback } from "../client/endpoint-address.ts";
import type { RequestRules } from "../client/request-rules.ts";
import type { Engine } from "../reports/load/side-by-side.ts";

/** Why an engine cannot send requests as the rules demand; `undefined` where it can. */
export function obstacleToEngine(
  engine: Engine,
  rules: RequestRules,
  baseUrl: string,
): string | undefined {
  const url = new URL(baseUrl);
  return engine === "k6" ? obstacleToK6(rules, url) : obstacleToHttp1(engine, rules, url);
}

function obstacleToHttp1(engine: Engine, rules: RequestRules, url: URL): string | undefined {
  if (!insistsOnHttp2(rules, url)) return undefined;
  return `${url.origin} speaks only HTTP/2, and ${engine} sends HTTP/1.1`;
}

function obstacleToK6(rules: RequestRules, url: URL): string | undefined {
  if (proxyFor(rules, url) !== undefined && isLoopback(url.href)) {
    return "k6 sends no request to this machine through a proxy: give another name for it, or no --proxy";
  }
  if (rules.connection.ca === undefined || readsAuthorities) return undefined;
  return `k6 trusts only the authorities of ${process.platform}: add the one of --ca to them, and leave --ca out`;
}

/** Whether Go reads certificate authorities from files on this platform, and not from the system. */
const readsAuthorities = !["darwin", "win32"].includes(process.platform);
