import type { Server } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const SWEEP_EVERY_MS = 20;

/**
 * Takes no new connection, lets every request under way be answered, closes each connection after its
 * answer, and settles when none is left. What is not answered after `withinMs` is broken off.
 */
export async function drain(server: Server, withinMs: number): Promise<void> {
  server.prependListener("request", (_request, response) => {
    response.setHeader("connection", "close");
  });
  const closed = new Promise<"closed">((resolve) => {
    server.close(() => resolve("closed"));
  });
  // A connection on which a request was under way becomes idle only after its answer.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
  const giveUp = new AbortController();
  const late = pause(withinMs, "late" as const, { signal: giveUp.signal }).catch(() => "late");
  await Promise.race([closed, late]);
  giveUp.abort();
  clearInterval(sweep);
  server.closeAllConnections();
}
