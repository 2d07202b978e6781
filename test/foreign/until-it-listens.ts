import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

import { waitLimits } from "../wait-limits.ts";

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
