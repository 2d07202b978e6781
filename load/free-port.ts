import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below the ports that systems give to those who ask for any, which others may get meanwhile. */
const [portMin, portMax] = [10_000, 30_000];
const triesMax = 100;

/**
 * A port of loopback that was free a moment ago, for programs that cannot choose one by themselves.
 * @throws Error where none of a hundred was free
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(portMin, portMax);
    if (await isFree(port)) return port;
  }
  throw new Error(
    `none of ${triesMax} ports of loopback between ${portMin} and ${portMax} is free`,
  );
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
