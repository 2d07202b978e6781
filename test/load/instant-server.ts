import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

import { running } from "../running-server.ts";

export interface InstantServer {
  readonly url: string;
  /** How often each route was called: "POST /run", "GET /status/". */
  readonly counts: Readonly<Record<string, number>>;
  readonly stop: () => Promise<void>;
}

/** What a job was submitted with, as far as answers repeat it. */
interface Submitted {
  readonly value?: unknown;
  readonly count?: number;
}

/** A job API whose jobs are done as soon as they are submitted, so that nobody has to ask twice. */
export async function instantServer(): Promise<InstantServer> {
  const counts: Record<string, number> = {};
  const jobs: Submitted[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const input = await bodyOf(request);
    const [, route = "", job = ""] = /^\/v2\/e(\/[^/]+\/?)(.*)$/.exec(request.url ?? "") ?? [];
    const line = `${request.method} ${route}`;
    counts[line] = (counts[line] ?? 0) + 1;
    if (route === "/run" || route === "/runsync") jobs.push(input);
    response.end(JSON.stringify(answerTo(route, { jobs, job: Number(job) })));
  };
  const server = createServer((request, response) => void take(request, response));
  const { baseUrl, stop } = await running(server);
  return { url: `${baseUrl}/v2/e`, counts, stop };
}

function answerTo(
  route: string,
  { jobs, job }: { readonly jobs: readonly Submitted[]; readonly job: number },
): unknown {
  switch (route) {
    case "/run":
      return { id: String(jobs.length - 1), status: "IN_QUEUE" };
    case "/runsync":
      return { id: String(jobs.length - 1), status: "COMPLETED" };
    case "/stream/":
      return Array.from({ length: jobs[job]?.count ?? 0 }, (_, index) => ({ output: { index } }));
    default:
      return { status: "COMPLETED", output: { value: jobs[job]?.value } };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Submitted> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += String(part);
  const body: unknown = text === "" ? {} : JSON.parse(text);
  const input = typeof body === "object" && body !== null && "input" in body ? body.input : {};
  return typeof input === "object" && input !== null ? input : {};
}
