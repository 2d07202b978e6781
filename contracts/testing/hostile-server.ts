import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { Server, Socket } from "node:net";

import type { FailureKind } from "../../client/index.ts";
import type { RequirementId } from "../../openapi/index.ts";

/** A server that no implementation of the API would be, and what the harness is to say of it. */
export interface HostileServer {
  readonly does: string;
  /** How a request ends that gets no whole answer; absent: each request is answered. */
  readonly failure?: FailureKind;
  /** The cause, as the reason of a verdict has to name it. */
  readonly says: RegExp;
  /** What such a server does show: these may pass. */
  readonly shows?: readonly RequirementId[];
  /** Whatever is asked, the answer says nothing of the request (429). */
  readonly undecidable?: boolean;
  readonly start: () => Promise<RunningServer>;
}

export interface RunningServer {
  readonly baseUrl: string;
  readonly stop: () => Promise<void>;
}

/** A server that is handed every connection as it comes. */
export function onConnection(treat: (socket: Socket) => void): HostileServer["start"] {
  return async () =>
    running(
      createTcpServer({ noDelay: true }, (socket) => {
        treat(socket);
      }),
    );
}

/** A server that answers the first request of each connection with raw bytes. */
export function onRequest(treat: (socket: Socket) => void): HostileServer["start"] {
  return onConnection((socket) => {
    socket.once("data", () => {
      treat(socket);
      socket.resume();
    });
  });
}

/** A server that speaks HTTP as it should, whatever it says. */
export function onHttp(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): HostileServer["start"] {
  return async () =>
    running(
      createHttpServer((request, response) => {
        request.resume();
        answer(response, request);
      }),
    );
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
    baseUrl: `${scheme}://127.0.0.1:${String(address.port)}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
