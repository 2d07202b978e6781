import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";

import { running } from "../running-server.ts";
import type { RunningServer } from "../running-server.ts";
import { Forwarder } from "./forward.ts";
import type { Mood } from "./moods.ts";

/** Starts a front before a server of this machine. */
export async function startFront(target: string, mood: Mood): Promise<RunningServer> {
  const forwarder = new Forwarder(target);
  const numbers = new WeakMap<Socket, number>();
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const number = (numbers.get(incoming.socket) ?? 0) + 1;
    numbers.set(incoming.socket, number);
    const { method = "GET", url: path = "/", headers } = incoming;
    const received = { method, path, headers, body: await buffer(incoming) };
    const leaving = new AbortController();
    response.on("close", () => leaving.abort());
    await mood({
      incoming,
      response,
      number,
      request: received,
      pass: async (request = received, signal = leaving.signal) => forwarder.pass(request, signal),
    });
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    // Where the server behind does not answer, neither does this.
    handle(incoming, response).catch(() => incoming.socket.destroy());
  });
  const { baseUrl, stop } = await running(server);
  return {
    baseUrl,
    stop: async () => {
      forwarder.close();
      await stop();
    },
  };
}
