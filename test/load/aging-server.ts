// Answers run and status as the API does, every job being done at once; its memory and delay grow as its arguments say.
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";

import { running } from "../running-server.ts";

const [keepsMegabytesPerSecond = 0, slowsMsPerSecond = 0] = process.argv.slice(2).map(Number);
const keepEveryMs = 100;
const megabyte = 1_048_576;

const kept: Buffer[] = [];
const values = new Map<string, unknown>();
let startedMs: number | undefined;

if (keepsMegabytesPerSecond > 0) {
  setInterval(() => {
    // Filled, or the kernel would not have to give it any memory.
    if (startedMs !== undefined)
      kept.push(Buffer.alloc((keepsMegabytesPerSecond * megabyte * keepEveryMs) / 1_000, 1));
  }, keepEveryMs);
}

const server = createServer((request, response) => {
  startedMs ??= performance.now();
  const lateMs = (slowsMsPerSecond * (performance.now() - startedMs)) / 1_000;
  void answerTo(request).then((answer) =>
    setTimeout(() => response.end(JSON.stringify(answer)), lateMs),
  );
});
const { baseUrl } = await running(server);
process.send?.(baseUrl);
process.on("disconnect", () => process.exit());

async function answerTo(request: IncomingMessage): Promise<object> {
  if (request.method === "POST") {
    const id = `job-${values.size}`;
    values.set(id, valueIn(JSON.parse(await text(request))));
    return { id, status: "IN_QUEUE" };
  }
  const id = request.url?.split("/").at(-1) ?? "";
  return { id, status: "COMPLETED", output: { value: values.get(id) } };
}

function valueIn(body: unknown): unknown {
  return member(member(body, "input"), "value");
}

function member(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}
