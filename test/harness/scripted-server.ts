import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import type { RequestListener } from "node:http";
import { running } from "../running-server.ts";

/** What a server answers to a request, by method and path; `undefined`: 404 without a body. */
export type Script = (
  request: string,
) => readonly [status: number, body: unknown] | "silence" | undefined;

/** Starts a server on a free port of loopback that answers as scripted, in JSON; it ends with the test. */
export async function scriptedServer(script: Script): Promise<string> {
  return stubServer((request, response) => {
    request.resume();
    const answer = script(`${request.method ?? ""} ${request.url ?? ""}`) ?? [404];
    if (answer === "silence") return;
    const [status, body] = answer;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/**
 * Starts a server on a free loopback port with the given listener; it closes when the test ends.
 * @param finished the hook of the test's own context, needed where tests run concurrently.
 */
export async function stubServer(
  answer: RequestListener,
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const { baseUrl, stop } = await running(createServer(answer));
  finished(stop);
  return baseUrl;
}

/** Returns a base URL that nothing listens on: its port was free a moment ago. */
export async function closedPort(): Promise<string> {
  const { baseUrl, stop } = await running(createServer());
  await stop();
  return baseUrl;
}

/** What was sent as a key, and where to. */
export interface KeyCollector {
  readonly url: string;
  readonly keys: ReadonlySet<string>;
}

/** Starts a server that refuses every key and keeps it; it stops when the test ends. */
export async function keyCollector(): Promise<KeyCollector> {
  const keys = new Set<string>();
  const url = await stubServer((request, response) => {
    keys.add(String(request.headers.authorization));
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":"refused"}');
  });
  return { url, keys };
}
