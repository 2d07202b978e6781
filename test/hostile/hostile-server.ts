import { createServer as createHttpServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer } from "node:net";
import type { Socket } from "node:net";

import type { FailureKind } from "../../client/exchange.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import { running } from "../running-server.ts";
import type { RunningServer } from "../running-server.ts";

/** A server unlike any implementation of the API, and what the harness has to say about it. */
export interface HostileServer {
  readonly does: string;
  /** How a request fails that gets no whole answer; absent: each request gets one. */
  readonly failure?: FailureKind;
  /** The cause, as the reason of a verdict has to name it. */
  readonly says: RegExp;
  /** The requirements that such a server does meet: these may pass. */
  readonly shows?: readonly RequirementId[];
  /** The code of the error that refuses it before the run; absent: it is not refused. */
  readonly refusal?: "KEY_REFUSED" | "ENDPOINT_UNKNOWN" | "TARGET_UNREACHABLE";
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

/** A server that speaks correct HTTP, whatever it answers. */
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
