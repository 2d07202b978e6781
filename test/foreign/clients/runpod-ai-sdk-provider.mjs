// The npm package @runpod/ai-sdk-provider, through the package ai, as a program that `queueproof client` can run: a video
// is a run that is polled, an image a runsync. It wants addresses of media as outputs: its fetch is given a wrapper that
// puts one in place of the job's output, and keeps that. Run it in a folder that has the packages: `npm run clients`.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(pathToFileURL(`${process.cwd()}/`));
const { experimental_generateVideo: generateVideo, generateImage } = await import(resolve("ai"));
const { createRunpod } = await import(resolve("@runpod/ai-sdk-provider"));

const told = (name) => process.env[`JOB_API_${name}`] ?? "";
const timeoutMs = Number(told("TIMEOUT_MS")) - 1_000;
let output;

async function keepingOutput(url, options) {
  const answer = await fetch(url, options);
  const text = String(url).startsWith("data:") ? "" : await answer.clone().text();
  if (!text.includes('"COMPLETED"')) return answer;
  const record = JSON.parse(text);
  output = record.output;
  const media = { result: "data:image/png;base64,iVBORw0KGgo=" };
  return Response.json({ ...record, output: media }, { status: answer.status });
}

const runpod = createRunpod({ apiKey: told("KEY"), fetch: keepingOutput });
const at = `${told("BASE_URL")}/v2/${told("ENDPOINT")}`;
const { prompt = "nothing", ...more } = JSON.parse(told("INPUT"));
const poll = { pollIntervalMillis: 1_000, maxPollAttempts: Math.ceil(timeoutMs / 1_000) };
const asked = { prompt: String(prompt), providerOptions: { runpod: { ...more, ...poll } } };
const abortSignal = AbortSignal.timeout(timeoutMs);
try {
  if (told("TASK") === "runsync") {
    await generateImage({ ...asked, model: runpod.image(at), abortSignal });
  } else {
    await generateVideo({ ...asked, model: runpod.video(at), abortSignal });
  }
  console.log(JSON.stringify(output));
} catch (error) {
  const { statusCode = "", responseBody = "" } = error.lastError ?? error;
  console.error(String(error), statusCode, responseBody);
  process.exit(1);
}
