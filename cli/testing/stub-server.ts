import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { onTestFinished } from "vitest";

/**
 * Starts a server on a free loopback port with the given listener; it closes when the test ends.
 * @param finished the hook of the test's own context, needed where tests run concurrently.
 */
export async function stubServer(
  answer: RequestListener,
  finished: (close: () => void) => void = onTestFinished,
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  finished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return `http://127.0.0.1:${address.port}`;
}

/** Returns a base URL that nothing listens on: its port was free a moment ago. */
export async function closedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return `http://127.0.0.1:${address.port}`;
}
