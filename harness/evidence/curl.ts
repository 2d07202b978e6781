import { excerptCharactersMax } from "../../client/redactor.ts";
import { quoted } from "../../client/shell-word.ts";
import type { SentRequest } from "../../client/exchange.ts";

/** The parts of a request that a shell needs to repeat it. */
export type RepeatedRequest = Pick<
  SentRequest,
  "method" | "url" | "headers" | "body" | "bodyBytes" | "keyName" | "madeUpKey"
>;

/** The names of the shell variables that hold the keys. */
export interface KeyVariables {
  readonly apiKey: string;
  readonly foreignKey: string;
}

/** The environment variables that hold the keys of an endpoint that is not deleted after the run. */
export const ownKeys: KeyVariables = {
  apiKey: "QUEUEPROOF_API_KEY",
  foreignKey: "QUEUEPROOF_FOREIGN_KEY",
};

/** Headers that are not repeated: the key comes from a variable, and each request has a trace of its own. */
const neverRepeated: ReadonlySet<string> = new Set(["authorization", "traceparent"]);

/** A command that sends a request again; `undefined` where not all of it is known any more. */
export function curlOf(request: RepeatedRequest): string | undefined {
  const words = requestWords(request, ownKeys);
  return words === undefined
    ? undefined
    : `curl -gsS -i${pathOption(request.url)} -X ${request.method} ${quoted(request.url)}${words}`;
}

/** The headers and the body of a request for curl, each with a space before it. */
export function requestWords(request: RepeatedRequest, keys: KeyVariables): string | undefined {
  const { url, headers, body } = request;
  const key = keyWord(request, keys);
  const sent = Object.entries(headers).filter(([name]) => !neverRepeated.has(name));
  // The headers that the user adds to every request are secrets.
  const isHidden = url.includes("***") || sent.some(([, value]) => value === "***");
  if (!isWhole(request) || isHidden || key === undefined) return undefined;
  const others = sent.map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`).join("");
  return `${key}${others}${body === undefined ? "" : ` --data-raw ${quoted(body)}`}`;
}

/** Whether the body is recorded as a whole. Redacted values of an s3Config may be missing: a check made them up. */
function isWhole({ body = "", bodyBytes }: RepeatedRequest): boolean {
  if (Buffer.byteLength(body) === bodyBytes) return true;
  return bodyBytes <= excerptCharactersMax && body.includes('"s3Config"') && body.includes("***");
}

function keyWord(
  { headers, keyName, madeUpKey }: RepeatedRequest,
  keys: KeyVariables,
): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return "";
  // Curl takes an empty value for a header that is to be left out.
  if (authorization === "") return " -H 'authorization;'";
  if (madeUpKey?.kind === "own") return ` -H ${quoted(`authorization: ${authorization}`)}`;
  const variables: Readonly<Record<string, string>> = {
    "api key": keys.apiKey,
    "foreign key": keys.foreignKey,
  };
  const variable = variables[madeUpKey === undefined ? (keyName ?? "") : "api key"];
  if (variable === undefined) return undefined;
  const scheme = authorization.startsWith("Bearer ") ? "Bearer " : "";
  return ` -H "authorization: ${scheme}${keyText(variable, madeUpKey)}"`;
}

/** A key, or what a check made of it, between double quotes of a shell. */
function keyText(variable: string, madeUp: RepeatedRequest["madeUpKey"]): string {
  if (madeUp?.kind === "swapped") return `$(printf %s "$${variable}" | tr A-Za-z a-zA-Z)`;
  if (madeUp?.kind !== "edited") return `$${variable}`;
  const cuts = { none: `\${${variable}}`, first: `\${${variable}#?}`, last: `\${${variable}%?}` };
  return `${escaped(madeUp.before)}${cuts[madeUp.cut]}${escaped(madeUp.after)}`;
}

/** A text, escaped for the double quotes of a shell. */
export function escaped(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`);
}

/** The option that keeps curl from resolving an id that consists of dots, also where they are percent-encoded. */
function pathOption(url: string): string {
  return /\/(?:\.|%2e){1,2}(?:[/?]|$)/iu.test(url) ? " --path-as-is" : "";
}
