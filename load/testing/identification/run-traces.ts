import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { Identification } from "../../limiters/fit.ts";
import type { Declared } from "../../limiters/kinds.ts";
import { traceSteps } from "../../limiters/trace.ts";
import type { TracedRequest } from "../../limiters/trace.ts";
import { LoadEndpoint } from "../../requirements/endpoint.ts";
import { Trace } from "../../requirements/trace.ts";
import { Identifier } from "./identifier.ts";

export interface Truth {
  readonly kind: string;
  readonly limit: number;
  readonly windowMs: number;
}

export interface Conditions {
  readonly name: string;
  readonly declared: Declared;
  readonly latencyMs: number;
  readonly isBusy: boolean;
  /** Between the starts of two traces. */
  readonly staggerMs: number;
}

export interface Outcome {
  readonly truth: Truth;
  readonly identification: Identification;
  /** By what was seen before the silence alone. */
  readonly beforeSilence: Identification;
  readonly requests: number;
  /** Requests that got no answer: with one of them no limit is judged. */
  readonly unanswered: number;
  readonly lateMaxMs: number;
  readonly latencyP50Ms: number;
  readonly latencyMaxMs: number;
}

/** Records a trace of every limiter over real HTTP, side by side, and identifies each in another process. */
export async function runTraces(
  truths: readonly Truth[],
  { declared, latencyMs, isBusy, staggerMs }: Conditions,
): Promise<readonly Outcome[]> {
  const path = fileURLToPath(new URL("limiter-server.ts", import.meta.url));
  const server = fork(path, [String(latencyMs)]);
  const identifier = new Identifier();
  const loops = isBusy ? Array.from({ length: availableParallelism() }, () => busyLoop()) : [];
  try {
    const message: readonly unknown[] = await once(server, "message");
    const [port] = message;
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    return await Promise.all(
      truths.map(async (truth, at) => {
        await pause(at * staggerMs);
        const { requests, clockGrainMs, figures } = await record(baseUrl, { truth, declared, at });
        const question = { requests, declared, clockGrainMs };
        const early = requests.filter(({ sentMs }) => sentMs < silenceUntilMs(declared));
        const beforeSilence = await identifier.identify({ ...question, requests: early });
        const identification = await identifier.identify(question);
        return Object.assign({ identification, beforeSilence }, figures);
      }),
    );
  } finally {
    for (const loop of loops) loop.kill("SIGKILL");
    server.disconnect();
    identifier.close();
  }
}

/** When the last step of a trace is due. */
function silenceUntilMs({ limit, windowMs }: Declared): number {
  return Math.max(...traceSteps(limit, windowMs).map(({ atMs }) => atMs));
}

function busyLoop(): ChildProcess {
  return spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
}

interface Recorded {
  readonly requests: readonly TracedRequest[];
  readonly clockGrainMs: number;
  readonly figures: Omit<Outcome, "identification" | "beforeSilence">;
}

async function record(
  baseUrl: string,
  { truth, declared, at }: { truth: Truth; declared: Declared; at: number },
): Promise<Recorded> {
  const { kind, limit, windowMs } = truth;
  // Another phase for each, none of them round.
  const phaseMs = (at * 1_234.567) % windowMs;
  const endpointId = encodeURIComponent([kind, limit, windowMs, phaseMs, at].join("~"));
  const endpoint = new LoadEndpoint({
    baseUrl,
    endpointId: decodeURIComponent(endpointId),
    apiKey: "key",
    control: undefined,
    isVirtual: false,
    isFresh: true,
  });
  const tier = { operation: "openai", limit: declared.limit, rate: "RATE-07" } as const;
  const trace = new Trace(endpoint, tier);
  for (const step of traceSteps(declared.limit, declared.windowMs)) {
    await trace.step(step);
  }
  endpoint.close();
  const figures = {
    truth,
    requests: trace.shots.length,
    unanswered: trace.shots.filter(({ answer }) => answer === undefined).length,
    lateMaxMs: trace.error.maxMs,
    latencyP50Ms: trace.latency.p50Ms,
    latencyMaxMs: trace.latency.maxMs,
  };
  return { requests: trace.requests, clockGrainMs: trace.clockGrainMs, figures };
}
