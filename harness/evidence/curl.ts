import type { SentRequest } from "../../client/index.ts";

/** A command that sends a request again; the key comes from the environment. */
export function curlOf(request: Pick<SentRequest, "method" | "url" | "headers" | "body">): string {
  const headers = Object.entries(request.headers)
    .filter(([name]) => name !== "authorization")
    .map(([name, value]) => ` -H ${quote(`${name}: ${value}`)}`)
    .join("");
  const key = authorizationOf(request.headers["authorization"]);
  const body = request.body === undefined ? "" : ` --data-raw ${quote(request.body)}`;
  return `curl -sS -i${pathOption(request.url)} -X ${request.method} ${quote(request.url)}${key}${headers}${body}`;
}

function authorizationOf(header: string | undefined): string {
  if (header === undefined) return "";
  const scheme = header.startsWith("Bearer ") ? "Bearer " : "";
  return ` -H "authorization: ${scheme}$QUEUEPROOF_API_KEY"`;
}

/** What keeps curl from resolving the dots of an id that consists of them, also where they are percent-encoded. */
export function pathOption(url: string): string {
  return /\/(?:\.|%2e){1,2}(?:[/?]|$)/iu.test(url) ? " --path-as-is" : "";
}

/** A word for a POSIX shell, whatever stands in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
