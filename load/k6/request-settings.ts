import { redirectsMax } from "../../client/request-rules.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import type { K6Requests } from "../../scenarios/k6/settings.ts";

/** The variables of every script: what it reads, and what keeps k6 from sending anything of its own. */
export function scriptEnvironment(
  { origins, userAgent, headers, isTraced, timeoutMs }: RequestRules,
  settings: unknown,
): Readonly<Record<string, string>> {
  const requests: K6Requests = { origins, userAgent, headers, isTraced, timeoutMs };
  return {
    ...(settings === undefined ? {} : { QUEUEPROOF_SCENARIO: JSON.stringify(settings) }),
    QUEUEPROOF_REQUESTS: JSON.stringify(requests),
    K6_NO_USAGE_REPORT: "true",
    K6_AUTO_EXTENSION_RESOLUTION: "false",
  };
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
