import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

import { Forwarder } from "../fronts/forward.ts";
import { running } from "../running-server.ts";
import type { RunningServer } from "../running-server.ts";
import type { Departure, Pass, StrangeRequest } from "./departures.ts";

/** Starts a server that does as another one of this machine, but for these departures, the first one outermost. */
export async function startStranger(
  target: string,
  departures: readonly Departure[],
): Promise<RunningServer> {
  const forwarder = new Forwarder(target);
  const treat = departures.reduceRight<Pass>(
    (pass, departure) => async (request) => departure(request, pass),
    async ({ path, method, headers, body }) => forwarder.pass({ url: path, method, headers }, body),
  );
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    readRequest(incoming)
      .then(treat)
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body))
      // Where the server behind does not answer, neither does this.
      .catch(() => incoming.socket.destroy());
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

async function readRequest(incoming: IncomingMessage): Promise<StrangeRequest> {
  const { method = "GET", url: path = "/", headers } = incoming;
  return { method, path, headers, body: await buffer(incoming) };
}
