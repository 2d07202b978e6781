// A worker of the queue that needs Node alone: it takes jobs one by one by the protocol of docs/real-workers.md, and does
// with them what its first argument says.
import { env, exit, argv } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";

const what = argv[2] ?? "right";
const id = env["RUNPOD_POD_ID"] ?? "";
const headers = { authorization: "a key of its own" };

function at(name: string, jobId = id): string {
  return (env[name] ?? "").replace("$RUNPOD_POD_ID", id).replace("$ID", jobId);
}

function tell(jobId: string, body: string, name = "RUNPOD_WEBHOOK_POST_OUTPUT"): Promise<Response> {
  return fetch(at(name, jobId), { method: "POST", headers, body });
}

const outputs: Readonly<Record<string, () => unknown>> = {
  errs: () => ({ status: "failed" }),
  "too-large": () => "x".repeat(22_000_000),
  streams: () => [],
  "big-chunks": () => [],
  leaks: () => env["MODEL_TOKEN"],
};

/** How many characters each chunk has at least, of a worker that streams. */
const chunkCharacters: Readonly<Record<string, number>> = { streams: 0, "big-chunks": 1_200_000 };
/** A job of so many milliseconds is a slow one. */
const workMs = 6_500;

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The words of the input's prompt; throws where it has none. */
function wordsOf(input: unknown): readonly string[] {
  const prompt = memberOf(input, "prompt");
  if (typeof prompt !== "string") throw new TypeError("prompt has to be a text");
  return prompt.split(" ");
}

function outputOf(input: unknown): unknown {
  const output = outputs[what];
  return output === undefined ? { words: wordsOf(input).length } : output();
}

function resultOf(input: unknown, jobs: number): string {
  if (what === "no-json") return '{"output":NaN}';
  if (what === "once" && jobs > 1) return '{"error":"used up"}';
  try {
    return JSON.stringify({ output: outputOf(input) });
  } catch (error) {
    return JSON.stringify({ error: String(error) });
  }
}

async function work(jobId: string, input: unknown, jobs: number): Promise<void> {
  process.stdout.write(`took ${jobId}\n`);
  if (what === "dies") exit(7);
  if (what === "untold") return;
  if (what.startsWith("slow")) await sleep(workMs);
  const size = chunkCharacters[what];
  const isStream = size !== undefined && typeof memberOf(input, "prompt") === "string";
  for (const word of isStream ? wordsOf(input) : []) {
    const output = { word: word.padEnd(size ?? 0) };
    await tell(jobId, JSON.stringify({ output }), "RUNPOD_WEBHOOK_POST_STREAM");
  }
  await tell(jobId, resultOf(input, jobs));
}

if (what === "ends") exit(0);
let isStopped = false;
let isAtWork = false;
process.on("SIGTERM", () => {
  isStopped = true;
  // One that finishes its job first ends after that.
  if (what !== "slow-finishes" || !isAtWork) exit(0);
});
for (let jobs = 1; ;) {
  const answer = await fetch(`${at("RUNPOD_WEBHOOK_GET_JOB")}&job_in_progress=0`, { headers });
  if (answer.status !== 200) continue;
  const job: unknown = await answer.json();
  isAtWork = true;
  await work(String(memberOf(job, "id")), memberOf(job, "input"), jobs);
  isAtWork = false;
  if (isStopped) exit(0);
  jobs += 1;
}
