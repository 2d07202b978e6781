import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { onTestFinished } from "vitest";
import { running } from "../running-server.ts";

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
