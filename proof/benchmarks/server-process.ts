import { createServer as createHttpServer } from "node:http";
import { createServer as createRawServer } from "node:net";
import type { AddressInfo, Server } from "node:net";

/**
 * Starts two servers for benchmarks in this process, and sends their ports to the parent. One answers each request at
 * once with a small JSON object. The other tells the parent when the last byte of each of so many requests of a fixed
 * length came, in milliseconds.
 */
async function serve(): Promise<void> {
  const http = createHttpServer((request, response) => {
    request.resume();
    response.setHeader("content-type", "application/json");
    response.end('{"id":"job-1","status":"IN_QUEUE"}');
  });
  http.keepAliveTimeout = 60_000;
  process.send?.({ http: await portOf(http), raw: await portOf(rawServer()) });
}

function rawServer(): Server {
  let wanted = { count: 0, bytes: 0 };
  let arrivedMs: number[] = [];
  process.on("message", (message: { readonly count: number; readonly bytes: number }) => {
    wanted = message;
    arrivedMs = [];
    process.send?.({ ready: true });
  });
  return createRawServer((socket) => {
    let bytes = 0;
    socket.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes < wanted.bytes) return;
      bytes = 0;
      arrivedMs.push(performance.now());
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      if (arrivedMs.length === wanted.count) process.send?.({ arrivedMs });
    });
    socket.on("error", () => undefined);
  });
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((listening) =>
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1_024 }, listening),
  );
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

await serve();
