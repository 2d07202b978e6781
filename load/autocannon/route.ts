import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { commonHeaders, demandAllowed } from "../../client/request-rules.ts";
import { openSocket, proxyFor, throughPlainProxy } from "../../client/connect.ts";
import type { RequestRules } from "../../client/request-rules.ts";

/** How autocannon is told to reach an origin. */
export interface BurstRoute {
  /** The URL that autocannon is given as the origin. */
  readonly url: string;
  /** The socket that it connects to in place of that origin. */
  readonly socketPath?: string;
  /** Is put before every path. */
  readonly prefix: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted with the reason where a connection could not be opened: autocannon would try for ever. */
  readonly failed: AbortSignal;
  readonly close: () => Promise<void>;
}

const close = async (): Promise<void> => undefined;

/**
 * autocannon checks no certificate and knows no proxy, so TLS connections and tunnels are opened here, behind a Unix
 * socket in a folder that nobody else may read. Where the origin is plain HTTP, autocannon connects by itself.
 */
export async function openRoute(rules: RequestRules, origin: URL): Promise<BurstRoute> {
  demandAllowed(rules, origin);
  const common = commonHeaders(rules, origin);
  const headers = { host: origin.host, ...common, ...throughPlainProxy(rules, origin) };
  const failure = new AbortController();
  const failed = failure.signal;
  if (origin.protocol === "https:") {
    const relay = await startRelay(rules, origin, (reason) => failure.abort(reason));
    return { url: `http://${origin.host}`, prefix: "", headers, failed, ...relay };
  }
  const proxy = proxyFor(rules, origin);
  if (proxy === undefined) return { url: origin.origin, prefix: "", headers, failed, close };
  const url = new URL(proxy.url).origin;
  return { url, prefix: origin.origin, headers, failed, close };
}

async function startRelay(
  rules: RequestRules,
  origin: URL,
  onFailure: (reason: string) => void,
): Promise<Required<Pick<BurstRoute, "socketPath" | "close">>> {
  const folder = await mkdtemp(join(tmpdir(), "queueproof-relay-"));
  const socketPath = join(folder, "socket");
  const open = new Set<Socket>();
  const server = createServer((near) => {
    keep(near, open);
    const options = { timeoutMs: rules.timeoutMs, speaksHttp2: false };
    void joined(near, open, async () => openSocket(rules, origin, options)).catch(
      (error: unknown) => {
        onFailure(error instanceof Error ? error.message : String(error));
        near.destroy();
      },
    );
  });
  await listening(server, socketPath);
  return {
    socketPath,
    close: async () => {
      server.close();
      for (const socket of open) socket.destroy();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function joined(
  near: Socket,
  open: Set<Socket>,
  connect: () => Promise<Socket>,
): Promise<void> {
  const far = await connect();
  keep(far, open);
  near.once("close", () => far.destroy());
  far.once("close", () => near.destroy());
  near.pipe(far).pipe(near);
}

function keep(socket: Socket, open: Set<Socket>): void {
  open.add(socket);
  socket.setNoDelay(true);
  socket.on("error", () => socket.destroy());
  socket.once("close", () => open.delete(socket));
}

async function listening(server: Server, path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
}
