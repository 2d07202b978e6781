// A worker of the queue that needs Node alone: it takes jobs one by one by the protocol of docs/real-workers.md, and does
// with them what its first argument says.
import { env, exit, argv } from "node:process";

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
  leaks: () => env["MODEL_TOKEN"],
};

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
  const isStream = what === "streams" && typeof memberOf(input, "prompt") === "string";
  for (const word of isStream ? wordsOf(input) : []) {
    await tell(jobId, JSON.stringify({ output: { word } }), "RUNPOD_WEBHOOK_POST_STREAM");
  }
  await tell(jobId, resultOf(input, jobs));
}

if (what === "ends") exit(0);
process.on("SIGTERM", () => exit(0));
for (let jobs = 1; ;) {
  const answer = await fetch(`${at("RUNPOD_WEBHOOK_GET_JOB")}&job_in_progress=0`, { headers });
  if (answer.status !== 200) continue;
  const job: unknown = await answer.json();
  await work(String(memberOf(job, "id")), memberOf(job, "input"), jobs);
  jobs += 1;
}
