// The npm package runpod-sdk as a program that `queueproof client` can run. Its run is polled here (--driver polls).
import { setTimeout as pause } from "node:timers/promises";
import runpodSdk from "runpod-sdk";

const { JOB_API_ENDPOINT, JOB_API_KEY, JOB_API_INPUT, JOB_API_TASK, JOB_API_TIMEOUT_MS } =
  process.env;
const timeout = Number(JOB_API_TIMEOUT_MS) - 1_000;
const sdk = runpodSdk(JOB_API_KEY, { baseUrl: process.env.RUNPOD_ENDPOINT_BASE_URL });
const endpoint = sdk.endpoint(JOB_API_ENDPOINT);
const input = JSON.parse(JOB_API_INPUT);

async function result(record) {
  if (record.status !== "COMPLETED")
    throw new Error(`the job is ${record.status}: ${record.error}`);
  return record.output;
}

async function act() {
  if (JOB_API_TASK === "runsync") return result(await endpoint.runSync({ input }, timeout));
  const { id } = await endpoint.run({ input }, timeout);
  if (JOB_API_TASK === "stream") {
    const chunks = [];
    for await (const { output } of endpoint.stream(id, timeout)) chunks.push(output);
    return chunks;
  }
  if (JOB_API_TASK === "cancel") return (await endpoint.cancel(id)).status;
  const endMs = Date.now() + timeout;
  for (;;) {
    const record = await endpoint.status(id);
    if (record.completed) return result(record);
    if (Date.now() > endMs) throw new Error(`the job is still ${record.status}`);
    await pause(1_000);
  }
}

console.log(JSON.stringify(await act()));
process.exit(0);
