import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { waitLimits } from "../../testing/wait-limits.ts";

/** A port of loopback that was free a moment ago, for programs that cannot choose one by themselves. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port was given");
  return address.port;
}

/** Waits until somebody listens on a port of loopback. */
export async function untilItListens(port: number): Promise<void> {
  const deadlineMs = performance.now() + waitLimits.timeout;
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
      return;
    } catch (error) {
      if (performance.now() > deadlineMs) throw error;
      await pause(50);
    } finally {
      socket.destroy();
    }
  }
}
