// Does one task, as `queueproof client -- npx tsx main.ts` asks for it: what the job returned is the last line.
import { JobClient } from "./job-client.ts";

const told = (name: string): string => process.env[`JOB_API_${name}`] ?? "";
const input = JSON.parse(told("INPUT")) as object;
const client = new JobClient({
  baseUrl: told("BASE_URL"),
  endpointId: told("ENDPOINT"),
  apiKey: told("KEY"),
  timeoutMs: Number(told("TIMEOUT_MS")) - 1_000,
});

async function doTask(task: string): Promise<unknown> {
  if (task === "run") return client.run(input);
  if (task === "runsync") return client.runsync(input);
  const { id } = await client.submit(input);
  if (task === "stream") {
    const chunks: unknown[] = [];
    for await (const chunk of client.stream(id)) chunks.push(chunk);
    return chunks;
  }
  if (task === "cancel") {
    await client.waitFor(id, new Set(["IN_PROGRESS"]));
    return (await client.cancel(id)).status;
  }
  if (task !== "retry") throw new Error(`there is no task ${task}`);
  const record = await client.waitFor(id);
  if (record.status === "COMPLETED") return record.output;
  await client.retry(id);
  const again = await client.waitFor(id);
  if (again.status !== "COMPLETED") throw new Error(`the retried job is ${again.status}`);
  return again.output;
}

try {
  console.log(JSON.stringify((await doTask(told("TASK"))) ?? null));
} catch (error) {
  console.error(String(error));
  process.exitCode = 1;
}
