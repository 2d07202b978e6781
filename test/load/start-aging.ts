import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** How a server gets worse from its first request on. */
export interface Ageing {
  readonly keepsMegabytesPerSecond: number;
  readonly slowsMsPerSecond: number;
}

export interface AgingServer {
  readonly baseUrl: string;
  readonly stop: () => Promise<void>;
}

/** Starts the server that ages, as a process of its own whose memory can be seen. */
export async function startAging({
  keepsMegabytesPerSecond,
  slowsMsPerSecond,
}: Ageing): Promise<AgingServer> {
  const path = fileURLToPath(new URL("./aging-server.ts", import.meta.url));
  const words = [keepsMegabytesPerSecond, slowsMsPerSecond].map(String);
  const child = fork(path, words, { execArgv: ["--import", "tsx"] });
  const baseUrl = await new Promise<unknown>((told) => child.once("message", told));
  return {
    baseUrl: String(baseUrl),
    stop: async () => {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}
