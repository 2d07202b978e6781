import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { running } from "../running-server.ts";

/** What was sent as a key, and where to. */
export interface KeyCollector {
  readonly url: string;
  readonly keys: ReadonlySet<string>;
}

/** Starts a server that refuses every key and keeps it; it stops when the test ends. */
export async function keyCollector(): Promise<KeyCollector> {
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    keys.add(String(request.headers.authorization));
    response.writeHead(401, { "content-type": "application/json" }).end('{"error":"refused"}');
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return { url: baseUrl, keys };
}
