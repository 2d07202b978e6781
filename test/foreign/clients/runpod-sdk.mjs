// The npm package runpod-sdk as a program that `queueproof client` can run. Its run is polled here (--driver polls).
import { setTimeout as pause } from "node:timers/promises";
import runpodSdk from "runpod-sdk";

const told = (name) => process.env[name] ?? "";
const timeoutMs = Number(told("JOB_API_TIMEOUT_MS")) - 1_000;
const task = told("JOB_API_TASK");
const baseUrl = told("RUNPOD_ENDPOINT_BASE_URL");
const endpoint = runpodSdk(told("JOB_API_KEY"), { baseUrl }).endpoint(told("JOB_API_ENDPOINT"));
const input = JSON.parse(told("JOB_API_INPUT"));

function outputOf({ status, output, error = "" }) {
  if (status === "COMPLETED") return output;
  throw new Error(`the job is ${status}: ${error}`);
}

async function act() {
  if (task === "runsync") return outputOf(await endpoint.runSync({ input }, timeoutMs));
  const { id } = await endpoint.run({ input }, timeoutMs);
  if (task === "stream") {
    const chunks = [];
    for await (const { output } of endpoint.stream(id, timeoutMs)) chunks.push(output);
    return chunks;
  }
  if (task === "cancel") return (await endpoint.cancel(id)).status;
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    const record = await endpoint.status(id);
    if (!["IN_QUEUE", "IN_PROGRESS"].includes(record.status)) return outputOf(record);
    if (Date.now() > endMs) throw new Error(`the job is still ${record.status}`);
    await pause(1_000);
  }
}

const output = await act();
process.stdout.write(`${JSON.stringify(output)}\n`, () => process.exit(0));
