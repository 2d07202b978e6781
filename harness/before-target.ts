import { throughPlainProxy } from "../client/connect.ts";
import type { Answer } from "../client/exchange.ts";
import type { RequestRules } from "../client/request-rules.ts";
import { HarnessError } from "./outcome.ts";

/** What to do about a failed connection, by the text of its error. */
const hints: readonly (readonly [RegExp, string])[] = [
  [
    /\bthe proxy\b/,
    "Correct --proxy, or HTTPS_PROXY and HTTP_PROXY; NO_PROXY lists the hosts that need no proxy.",
  ],
  [
    /self.signed|unable to (?:verify|get)/,
    "Give --ca the certificate of the authority that signed the target's.",
  ],
  [
    /certificate required|handshake failure|bad certificate|unknown ca/i,
    "The target asks its clients for a certificate, or for another one: give --cert and --cert-key.",
  ],
];

/** Returns what to do about a connection error of a proxy or of TLS certificates; `undefined` for other errors. */
export function hintOnConnection(why: string): string | undefined {
  return hints.find(([pattern]) => pattern.test(why))?.[1];
}

/**
 * Throws if a gateway or a proxy in front of the target answered instead of it: those answer with a page of their own,
 * where the target answers with a JSON object.
 * @throws HarnessError TARGET_UNREACHABLE
 */
export function demandTargetsAnswer(rules: RequestRules, baseUrl: string, answer: Answer): void {
  const { status } = answer;
  const said = answer.rawText();
  if (said.trimStart().startsWith("{")) return;
  if (status === 400 && /SSL certificate/i.test(said)) {
    throw new HarnessError(
      "TARGET_UNREACHABLE",
      `what stands before the target at ${baseUrl} refused the client's certificate, or that none was shown`,
      "Give --cert and --cert-key, signed by an authority that it trusts.",
    );
  }
  const isOfProxy = throughPlainProxy(rules, new URL(baseUrl)) !== undefined;
  if (!isOfProxy || ![403, 407, 502, 503, 504].includes(status)) return;
  throw new HarnessError(
    "TARGET_UNREACHABLE",
    `the proxy answered ${status} instead of the target at ${baseUrl}`,
    status === 407
      ? "It asks for a user and password, or for others: give --proxy http://USER:PASSWORD@HOST:PORT."
      : "Correct --proxy or --base-url, or let the proxy reach the target.",
  );
}
