import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { Socket } from "node:net";

import type { FailureKind } from "../../client/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { running } from "../../testing/running-server.ts";
import type { RunningServer } from "../../testing/running-server.ts";

/** A server that no implementation of the API would be, and what the harness is to say of it. */
export interface HostileServer {
  readonly does: string;
  /** How a request ends that gets no whole answer; absent: each request is answered. */
  readonly failure?: FailureKind;
  /** The cause, as the reason of a verdict has to name it. */
  readonly says: RegExp;
  /** What such a server does show: these may pass. */
  readonly shows?: readonly RequirementId[];
  /** As what it is refused before the run; absent: it is not. */
  readonly refusal?: "KEY_REFUSED" | "ENDPOINT_UNKNOWN";
  /** Whatever is asked, the answer says nothing of the request (429). */
  readonly undecidable?: boolean;
  readonly start: () => Promise<RunningServer>;
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
