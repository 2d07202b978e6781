import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

import { rules } from "../../test/load/rules.ts";
import type { Decide } from "../../test/load/rules.ts";

/**
 * A process that serves any number of limiters over HTTP, on its own clock. `/v2/KIND~LIMIT~WINDOW_MS~PHASE_MS~NAME/…`
 * answers 200 or 429; each path has a limiter of its own. The argument is the latency in milliseconds, half of it
 * before a request is counted and half of it after.
 */
const latencyMs = Number(process.argv[2] ?? 0);
const limiters = new Map<string, Decide>();

function limiterOf(key: string): Decide {
  const known = limiters.get(key);
  if (known !== undefined) return known;
  const [kind = "", limit, windowMs, phaseMs] = decodeURIComponent(key).split("~");
  const made = rules[kind]?.({
    limit: Number(limit),
    windowMs: Number(windowMs),
    phaseMs: Number(phaseMs),
  });
  if (made === undefined) throw new Error(`no limiter called ${kind}`);
  limiters.set(key, made);
  return made;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume();
  if (latencyMs > 0) await pause(latencyMs / 2);
  const isAdmitted = limiterOf(request.url?.split("/")[2] ?? "")(performance.now());
  if (latencyMs > 0) await pause(latencyMs / 2);
  response.writeHead(isAdmitted ? 200 : 429, { "content-length": "2" });
  response.end("{}");
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.send?.(address.port);
});
process.on("disconnect", () => process.exit(0));
