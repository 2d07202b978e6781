import type { Socket } from "node:net";
import { createServer } from "node:tls";
import { generate } from "selfsigned";
import { onConnection, onRequest } from "./hostile-server.ts";
import type { HostileServer } from "./hostile-server.ts";
import { running } from "../running-server.ts";

const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
const dripMs = 20;

/** Servers that break off, hold back, go on without end, or speak no HTTP. */
export const hostileSockets: readonly HostileServer[] = [
  {
    does: "accepts and never answers",
    failure: "timeout",
    says: /no whole answer within 250 ms/,
    start: onConnection((socket) => socket.resume()),
  },
  {
    does: "resets every connection on accept",
    failure: "connection",
    says: /the connection was (closed|reset)/,
    start: onConnection((socket) => socket.resetAndDestroy()),
  },
  {
    does: "closes every connection without a word",
    failure: "connection",
    says: /the connection was closed/,
    start: onRequest((socket) => socket.end()),
  },
  {
    does: "resets in the middle of the headers",
    failure: "connection",
    says: /the connection was (closed|reset)/,
    start: onRequest((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-ty", () => socket.resetAndDestroy());
    }),
  },
  {
    does: "resets in the middle of the body",
    failure: "connection",
    says: /the connection was (closed|reset)/,
    start: onRequest((socket) => {
      socket.write(`${head}content-length: 100\r\n\r\n{"id":`, () => socket.resetAndDestroy());
    }),
  },
  {
    does: "sends half an answer and falls silent",
    failure: "timeout",
    says: /no whole answer within 250 ms/,
    start: onRequest((socket) => socket.write(`${head}content-length: 100\r\n\r\n{"id":`)),
  },
  {
    does: "sends headers without end",
    failure: "too-large",
    says: /headers of more than 65536 bytes/,
    start: onRequest((socket) => {
      endless(socket, head, `x-more: ${"m".repeat(4000)}\r\n`);
    }),
  },
  {
    does: "sends a body without end",
    failure: "too-large",
    says: /more than 33554432 bytes/,
    start: onRequest((socket) => {
      const chunk = `100000\r\n${" ".repeat(0x10_00_00)}\r\n`;
      endless(socket, `${head}transfer-encoding: chunked\r\n\r\n`, chunk);
    }),
  },
  {
    does: "drips a body byte by byte",
    failure: "timeout",
    says: /no whole answer within 250 ms/,
    start: onRequest((socket) => {
      drip(socket, `${head}content-length: 1000000\r\n\r\n`, " ");
    }),
  },
  {
    does: "drips a header byte by byte",
    failure: "timeout",
    says: /no whole answer within 250 ms/,
    start: onRequest((socket) => {
      drip(socket, `${head}x-more: `, "m");
    }),
  },
  {
    does: "declares more than it sends and closes",
    failure: "connection",
    says: /the connection was closed/,
    start: onRequest((socket) => socket.end(`${head}content-length: 500\r\n\r\n{"id":"a"}`)),
  },
  {
    does: "declares less than it sends",
    says: /a body that is not JSON/,
    start: onRequest((socket) => socket.end(`${head}content-length: 5\r\n\r\n{"id":"a"}`)),
  },
  {
    does: "declares two lengths",
    failure: "protocol",
    says: /content-length/i,
    start: onRequest((socket) =>
      socket.end(`${head}content-length: 2\r\ncontent-length: 4\r\n\r\n{}{}`),
    ),
  },
  {
    does: "answers in no known protocol",
    failure: "protocol",
    says: /breaks HTTP: a first line that is no status line/,
    start: onRequest((socket) => socket.end("220 mail.example ESMTP\r\n")),
  },
  {
    does: "writes control characters into its headers",
    failure: "protocol",
    says: /breaks HTTP: a header value with a control character/,
    start: onRequest((socket) => socket.end(`${head}x: \u001B[2J\r\ncontent-length: 2\r\n\r\n{}`)),
  },
  {
    does: "floods with informational answers",
    failure: "timeout",
    says: /no whole answer within 250 ms/,
    start: onRequest((socket) => {
      endless(socket, "", "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(50), dripMs);
    }),
  },
  {
    does: "says 100 Continue to what did not ask",
    failure: "protocol",
    says: /not asked for: 100 Continue/,
    start: onRequest((socket) => socket.write("HTTP/1.1 100 Continue\r\n\r\n")),
  },
  {
    does: "switches protocols",
    failure: "protocol",
    says: /not asked for: 101 Switching Protocols/,
    start: onRequest((socket) =>
      socket.write("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: tls\r\n\r\n"),
    ),
  },
  {
    does: "answers each request twice",
    says: /status 200, \{\}/,
    start: onConnection((socket) => {
      const answer = `${head}content-length: 2\r\n\r\n{}`;
      const smuggled = `${head}content-length: 31\r\n\r\n{"id":"x","status":"COMPLETED"}`;
      socket.on("data", () => socket.write(answer + smuggled));
    }),
  },
];

/** Sends the piece again and again, as fast as it is read or with a pause each time. */
function endless(socket: Socket, first: string, piece: string, pauseMs = 0): void {
  socket.write(first);
  const goOn = (): void => {
    if (socket.destroyed) return;
    if (socket.write(piece)) setTimeout(goOn, pauseMs).unref();
    else socket.once("drain", goOn);
  };
  goOn();
}

function drip(socket: Socket, first: string, piece: string): void {
  socket.write(first);
  const timer = setInterval(() => socket.write(piece), dripMs);
  socket.on("close", () => {
    clearInterval(timer);
  });
}

/** Servers whose encryption cannot be trusted, or that do not encrypt at all. */
export const hostileEncryption: readonly HostileServer[] = [
  {
    does: "shows a certificate that nobody vouches for",
    failure: "connection",
    says: /(self-signed|self signed|unable to verify)/,
    start: async () => {
      const { private: key, cert } = await generate([{ name: "commonName", value: "elsewhere" }]);
      const server = createServer({ key, cert }, (socket) => socket.end());
      server.on("tlsClientError", () => undefined);
      return running(server, "https");
    },
  },
  {
    does: "speaks plain HTTP where https is asked for",
    failure: "connection",
    says: /it speaks http, not https/,
    start: async () => {
      const plain = onRequest((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
      const { baseUrl, stop } = await plain();
      return { baseUrl: baseUrl.replace("http:", "https:"), stop };
    },
  },
];
