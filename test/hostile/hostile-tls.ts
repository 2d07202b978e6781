import { createServer } from "node:tls";

import { generate } from "selfsigned";

import { running } from "../running-server.ts";
import { onRequest } from "./hostile-server.ts";
import type { HostileServer } from "./hostile-server.ts";

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
