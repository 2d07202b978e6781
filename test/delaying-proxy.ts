import { connect, createServer } from "node:net";
import type { Socket } from "node:net";

import { running } from "./running-server.ts";
import type { RunningServer } from "./running-server.ts";

/** Starts a proxy to a server of this machine that delays either direction by half of `latencyMs`. */
export async function startDelayingProxy(
  target: string,
  latencyMs: number,
): Promise<RunningServer> {
  const { hostname, port } = new URL(target);
  return running(
    createServer((near) => {
      const far = connect(Number(port), hostname);
      passOn(near, far, latencyMs / 2);
      passOn(far, near, latencyMs / 2);
    }),
  );
}

function passOn(from: Socket, to: Socket, delayMs: number): void {
  from.setNoDelay();
  from.on("data", (bytes) => setTimeout(() => to.write(bytes), delayMs));
  from.on("end", () => setTimeout(() => to.end(), delayMs));
  from.on("error", () => to.destroy());
  from.on("close", () => setTimeout(() => to.destroy(), delayMs));
}
