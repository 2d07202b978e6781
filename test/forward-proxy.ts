import { createServer, request as forward } from "node:http";
import { connect } from "node:net";

import { running } from "./running-server.ts";

export interface ForwardProxy {
  readonly url: string;
  readonly port: number;
  /** The first line and the proxy's authorization header of each request. */
  readonly asked: { readonly line: string; readonly authorization: string | undefined }[];
  readonly stop: () => Promise<void>;
}

/**
 * Starts a proxy that leads to one server of this machine, whatever name it is asked for: a request that arrives there
 * under a name that nothing else knows came this way.
 * @param password where it is given, requests without it are refused.
 */
export async function startForwardProxy(target: string, password?: string): Promise<ForwardProxy> {
  const asked: ForwardProxy["asked"] = [];
  const { hostname, port } = new URL(target);
  const isKnown = (authorization: string | undefined): boolean =>
    password === undefined ||
    Buffer.from(authorization?.replace("Basic ", "") ?? "", "base64").toString() === password;
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "" } = incoming;
    const { "proxy-authorization": authorization, ...headers } = incoming.headers;
    asked.push({ line: `${method} ${url}`, authorization });
    if (!isKnown(authorization)) return outgoing.writeHead(407).end("who are you?");
    const { pathname, search } = new URL(url);
    const path = pathname + search;
    const onward = forward({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    return incoming.pipe(onward);
  });
  server.on("connect", ({ url = "", headers }, near, head) => {
    const authorization = headers["proxy-authorization"];
    asked.push({ line: `CONNECT ${url}`, authorization });
    if (!isKnown(authorization)) {
      near.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const far = connect(Number(port), hostname, () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      far.write(head);
      near.pipe(far).pipe(near);
    });
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
  });
  const { baseUrl, stop } = await running(server);
  return { url: baseUrl, port: Number(new URL(baseUrl).port), asked, stop };
}
