import { excerptCharactersMax, quoted } from "../../client/index.ts";
import type { SentRequest } from "../../client/index.ts";

/** What is in a request that a shell has to be told. */
export type RepeatedRequest = Pick<
  SentRequest,
  "method" | "url" | "headers" | "body" | "bodyBytes" | "keyName" | "madeUpKey"
>;

/** The names of the shell variables that hold the keys. */
export interface KeyVariables {
  readonly apiKey: string;
  readonly foreignKey: string;
}

/** The variables of the environment that hold the keys of an endpoint which is there for long. */
export const ownKeys: KeyVariables = {
  apiKey: "QUEUEPROOF_API_KEY",
  foreignKey: "QUEUEPROOF_FOREIGN_KEY",
};

/** The key stands in a variable, and a request that is sent again is another one in every trace. */
const neverRepeated: ReadonlySet<string> = new Set(["authorization", "traceparent"]);

/** A command that sends a request again; `undefined` where not all of it is known any more. */
export function curlOf(request: RepeatedRequest): string | undefined {
  const words = requestWords(request, ownKeys);
  return words === undefined
    ? undefined
    : `curl -sS -i${pathOption(request.url)} -X ${request.method} ${quoted(request.url)}${words}`;
}

/** The headers and the body of a request for curl, each with a space before it. */
export function requestWords(request: RepeatedRequest, keys: KeyVariables): string | undefined {
  const { url, headers, body } = request;
  const key = keyWord(request, keys);
  const sent = Object.entries(headers).filter(([name]) => !neverRepeated.has(name));
  // What the user has every request carry is a secret.
  const isHidden = url.includes("***") || sent.some(([, value]) => value === "***");
  if (!isWhole(request) || isHidden || key === undefined) return undefined;
  const others = sent.map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`).join("");
  return `${key}${others}${body === undefined ? "" : ` --data-raw ${quoted(body)}`}`;
}

/** The values of an s3Config are left out of what is told, and what a check made up for them does not matter. */
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

/** What stands for itself between double quotes of a shell. */
export function escaped(text: string): string {
  return text.replaceAll(/["$`\\]/g, String.raw`\$&`);
}

/** What keeps curl from resolving the dots of an id that consists of them, also where they are percent-encoded. */
export function pathOption(url: string): string {
  return /\/(?:\.|%2e){1,2}(?:[/?]|$)/iu.test(url) ? " --path-as-is" : "";
}
