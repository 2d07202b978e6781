import { rulesFor } from "../../client/request-rules.ts";
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import type { Identification } from "../../load/limiters/identify.ts";
import type { Declared } from "../../load/limiters/kind.ts";
import { traceSteps } from "../../load/limiters/trace.ts";
import type { TracedRequest } from "../../load/limiters/trace.ts";
import { LoadEndpoint } from "../../load/requirements/endpoint.ts";
import { identifyWithExtraBurst } from "../../load/requirements/identify-trace.ts";
import { LimitTrace } from "../../load/requirements/trace.ts";
import { startBusyLoops } from "../busy-loops.ts";
import { Identifier } from "./identifier.ts";

export interface TrueLimiter extends Declared {
  readonly kind: string;
}

export interface Conditions {
  readonly name: string;
  readonly declared: Declared;
  readonly latencyMs: number;
  readonly isBusy: boolean;
  /** Between the starts of two traces. */
  readonly staggerMs: number;
}

export interface TraceOutcome {
  readonly truth: TrueLimiter;
  readonly identification: Identification;
  /** Identified only by what was seen before the silence. */
  readonly beforeSilence: Identification;
  readonly requests: number;
  /** Requests that got no answer; where there is one, the verdict is inconclusive. */
  readonly unanswered: number;
  readonly lateMaxMs: number;
  readonly latencyP50Ms: number;
  readonly latencyMaxMs: number;
}

/** Records a trace of every limiter over real HTTP, side by side, and identifies each in another process. */
export async function runTraces(
  truths: readonly TrueLimiter[],
  { declared, latencyMs, isBusy, staggerMs }: Conditions,
): Promise<readonly TraceOutcome[]> {
  const path = fileURLToPath(new URL("limiter-server.ts", import.meta.url));
  const server = fork(path, [String(latencyMs)]);
  const identifier = new Identifier();
  const loops = isBusy ? startBusyLoops() : undefined;
  try {
    const message: readonly unknown[] = await once(server, "message");
    const [port] = message;
    const baseUrl = `http://127.0.0.1:${String(port)}`;
    return await Promise.all(
      truths.map(async (truth, at) => {
        await pause(at * staggerMs);
        const trace = await record(baseUrl, { truth, declared, at });
        const lastMs = silenceUntilMs(declared);
        const early = trace.requests.filter(({ sentMs }) => sentMs < lastMs);
        const ask = (requests: readonly TracedRequest[]): Promise<Identification> =>
          identifier.identify({ requests, declared, clockGrainMs: trace.clockGrainMs });
        const beforeSilence = await ask(early);
        const identification = await identifyWithExtraBurst(trace, () => ask(trace.requests));
        trace.close();
        return { truth, identification, beforeSilence, ...figuresOf(trace) };
      }),
    );
  } finally {
    loops?.stop();
    server.disconnect();
    identifier.close();
  }
}

/** When the last step of a trace is due, in milliseconds after its start. */
function silenceUntilMs({ limit, windowMs }: Declared): number {
  return Math.max(...traceSteps(limit, windowMs).map(({ atMs }) => atMs));
}

async function record(
  baseUrl: string,
  { truth, declared, at }: { truth: TrueLimiter; declared: Declared; at: number },
): Promise<LimitTrace> {
  const { kind, limit, windowMs } = truth;
  // Each trace has another phase, which is never round.
  const phaseMs = (at * 1_234.567) % windowMs;
  const endpointId = encodeURIComponent([kind, limit, windowMs, phaseMs, at].join("~"));
  const endpoint = new LoadEndpoint({
    baseUrl,
    rules: rulesFor({ baseUrl }),
    endpointId: decodeURIComponent(endpointId),
    apiKey: "key",
    control: undefined,
    isVirtual: false,
    isFresh: true,
  });
  const tier = { operation: "openai", limit: declared.limit, rate: "RATE-07" } as const;
  const trace = new LimitTrace(endpoint, tier);
  for (const step of traceSteps(declared.limit, declared.windowMs)) {
    await trace.step(step);
  }
  return trace;
}

type Figures = Omit<TraceOutcome, "truth" | "identification" | "beforeSilence">;

function figuresOf({ exchanges, error, latency }: LimitTrace): Figures {
  return {
    requests: exchanges.length,
    unanswered: exchanges.filter(({ answer }) => answer === undefined).length,
    lateMaxMs: error.maxMs,
    latencyP50Ms: latency.p50Ms,
    latencyMaxMs: latency.maxMs,
  };
}
