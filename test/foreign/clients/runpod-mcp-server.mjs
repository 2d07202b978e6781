// The npm package @runpod/mcp-server, by its tools, as a program that `queueproof client` can run. It is polled here.
// Run it in a folder that has the packages: `npm run clients` makes .cache/clients.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { setTimeout as pause } from "node:timers/promises";

const { resolve } = createRequire(pathToFileURL(`${process.cwd()}/`));
const { Client } = await import(resolve("@modelcontextprotocol/sdk/client/index.js"));
const { StdioClientTransport } = await import(resolve("@modelcontextprotocol/sdk/client/stdio.js"));

const told = (name) => process.env[`JOB_API_${name}`] ?? "";
const endpointId = told("ENDPOINT");
const task = told("TASK");
const timeout = Number(told("TIMEOUT_MS")) - 1_000;
const server = resolve("@runpod/mcp-server");
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [server],
  env: process.env,
});
const client = new Client({ name: "driver", version: "1" });
await client.connect(transport);

async function call(name, more) {
  const params = { name, arguments: { endpointId, ...more } };
  const { content, isError } = await client.callTool(params, undefined, { timeout });
  const text = content.map((part) => part.text).join("");
  if (isError) throw new Error(text);
  return JSON.parse(text);
}

async function ended(jobId) {
  for (;;) {
    const record = await call("get-job-status", { jobId });
    if (!["IN_QUEUE", "IN_PROGRESS"].includes(record.status)) return record;
    await pause(1_000);
  }
}

function outputOf({ status, output, error }) {
  if (status === "COMPLETED") return output;
  throw new Error(`the job is ${status}: ${error}`);
}

async function act() {
  const input = JSON.parse(told("INPUT"));
  if (task === "runsync") {
    const record = await call("runsync-endpoint", { input });
    const isOver = !["IN_QUEUE", "IN_PROGRESS"].includes(record.status);
    return outputOf(isOver ? record : await ended(record.id));
  }
  const { id: jobId } = await call("run-endpoint", { input });
  if (task === "cancel") return (await call("cancel-job", { jobId })).status;
  if (task === "stream") {
    const chunks = [];
    for (;;) {
      const { status, stream } = await call("stream-job", { jobId });
      chunks.push(...stream.map(({ output }) => output));
      if (!["IN_QUEUE", "IN_PROGRESS"].includes(status)) return chunks;
      await pause(1_000);
    }
  }
  const record = await ended(jobId);
  if (task === "run" || record.status === "COMPLETED") return outputOf(record);
  await call("retry-job", { jobId });
  return outputOf(await ended(jobId));
}

try {
  const output = await act();
  process.stdout.write(`${JSON.stringify(output)}\n`, () => process.exit(0));
} catch (error) {
  console.error(String(error));
  process.exit(1);
}
