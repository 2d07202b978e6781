import type { IncomingMessage } from "node:http";

/** Headers of one connection alone (RFC 9110, 7.6.1): they are not passed on. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers of a message that are passed on, as name after value, in their order and spelling.
 * @param besides one more that is left out, in lower case
 */
export function passableHeaders(message: IncomingMessage, besides?: string): string[] {
  const named = (message.headers.connection ?? "").toLowerCase().split(/\s*,\s*/);
  const passed: string[] = [];
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = message.rawHeaders.slice(index, index + 2);
    const lower = name.toLowerCase();
    if (hopByHop.has(lower) || named.includes(lower) || lower === besides) continue;
    passed.push(name, value);
  }
  return passed;
}

/** Headers or trailers with the values of one name as one text. */
export function plainHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
