import { once } from "node:events";
import type { Server, Socket } from "node:net";

/** A server that a test started, of the test itself or of somebody else. */
export interface RunningServer {
  readonly baseUrl: string;
  readonly stop: () => Promise<void>;
}

/** Listens on any free port of loopback and breaks off every connection when it is stopped. */
export async function running(server: Server, scheme = "http"): Promise<RunningServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port was given");
  return {
    baseUrl: `${scheme}://127.0.0.1:${address.port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
