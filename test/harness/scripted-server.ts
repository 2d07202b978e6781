import { createServer } from "node:http";

import { onTestFinished } from "vitest";

import { running } from "../running-server.ts";

/** What a server answers to a request, by method and path; `undefined`: 404 without a body. */
export type Script = (
  request: string,
) => readonly [status: number, body: unknown] | "silence" | undefined;

/** Starts a server on a free port of loopback that answers as scripted, in JSON; it ends with the test. */
export async function scriptedServer(script: Script): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    const answer = script(`${request.method ?? ""} ${request.url ?? ""}`) ?? [404];
    if (answer === "silence") return;
    const [status, body] = answer;
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  const { baseUrl, stop } = await running(server);
  onTestFinished(stop);
  return baseUrl;
}
