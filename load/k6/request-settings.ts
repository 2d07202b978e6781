import { redirectsMax } from "../../client/index.ts";
import type { RequestRules } from "../../client/index.ts";
import type { K6Requests } from "../../scenarios/k6/settings.ts";

/** What the scripts add to each request. */
export function requestSettings(rules: RequestRules): K6Requests {
  const { origins, userAgent, headers, isTraced, timeoutMs } = rules;
  return { origins, userAgent, headers, isTraced, timeoutMs };
}

/** k6's own configuration: it keeps the client's certificate out of arguments and variables. */
export function k6Config({ userAgent, connection: { certificate } }: RequestRules): object {
  return {
    userAgent,
    maxRedirects: redirectsMax,
    ...(certificate === undefined ? {} : { tlsAuth: [certificate] }),
  };
}

/** The user's variables that would change where requests go. */
export const routeVariables = /^(?:https?|all|no)_proxy$/i;

/** The variables by which k6 knows the proxy and the authorities; `caFile` holds those of the rules. */
export function routeEnvironment(
  rules: RequestRules,
  caFile: string,
): Readonly<Record<string, string>> {
  const { proxies = {}, isDirect, ca } = rules.connection;
  const direct = rules.origins
    .map((origin) => new URL(origin))
    .filter((url) => isDirect?.(url) === true);
  return {
    ...(proxies.http === undefined ? {} : { HTTP_PROXY: proxies.http.url }),
    ...(proxies.https === undefined ? {} : { HTTPS_PROXY: proxies.https.url }),
    ...(direct.length === 0 ? {} : { NO_PROXY: direct.map(({ host }) => host).join(",") }),
    ...(ca === undefined ? {} : { SSL_CERT_FILE: caFile, SSL_CERT_DIR: `${caFile}.none` }),
  };
}
