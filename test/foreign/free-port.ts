import { once } from "node:events";
import { connect, createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { running } from "../running-server.ts";
import { waitLimits } from "../wait-limits.ts";

/** A port of loopback that was free a moment ago, for programs that cannot choose one by themselves. */
export async function freePort(): Promise<number> {
  const { baseUrl, stop } = await running(createServer());
  await stop();
  return Number(new URL(baseUrl).port);
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
