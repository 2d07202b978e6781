import { identify } from "../limiters/fit.ts";
import type { Identification } from "../limiters/fit.ts";
import type { LimiterKind } from "../limiters/models.ts";
import { traceSteps } from "../limiters/trace.ts";
import type { TracedRequest } from "../limiters/trace.ts";
import { Undecided } from "./check.ts";
import type { LoadCheck } from "./check.ts";
import { exhausted, isOffered, traced } from "./exhaustion.ts";
import type { Findings } from "./findings.ts";
import { demandAnswers } from "./rate.ts";
import { oncePer } from "./stand.ts";
import type { Stand } from "./stand.ts";
import { allTiers, windowMs } from "./table.ts";
import type { Tier } from "./table.ts";

/** cancel is the lowest limit that tells every kind apart. */
const fitted: Tier = { operation: "cancel", limit: 100, rate: "RATE-05" };
const fittedRequests = 640;

/** Identifies the limiter of cancel from one trace, once for all checks. */
const identified = oncePer(async (stand: Stand, tier: Tier): Promise<Identification> => {
  const { operation, limit } = tier;
  const endpoint = await stand.endpoint({ workers: 1 });
  await endpoint.stock(fittedRequests);
  if (!endpoint.access.isVirtual) await endpoint.wait(2 * windowMs);
  const beganMs = endpoint.nowMs;
  const trace: TracedRequest[] = [];
  for (const { atMs, count } of traceSteps(limit, windowMs)) {
    await endpoint.waitUntil(beganMs + atMs);
    const sentMs = endpoint.nowMs - beganMs;
    const sent = await endpoint.send(operation, count);
    demandAnswers(sent);
    trace.push(...traced(sent, sentMs));
  }
  return identify(trace, { limit, windowMs });
});

const readings: Readonly<Record<LimiterKind, string | undefined>> = {
  "fixed from first request": "fixed",
  "fixed aligned": "fixed",
  "split windows": "fixed",
  "counter per process": "fixed",
  "sliding log": "sliding log",
  "sliding log counting refusals": "sliding log",
  "sliding counter": "sliding counter",
  "token bucket": "token bucket",
  none: undefined,
};

/** More differences than this, and no model explains what was seen. */
const differencesMax = 8;

const kindsThatConform = "fixed, sliding log, sliding counter or token bucket";

const kindOfWindow: LoadCheck = {
  name: "rate/kind-of-window",
  title: "The kind of window, from the trace of what it let through",
  covers: "RATE-14",
  needs: ["load"],
  realTimeMs: 10 * windowMs,
  requests: fittedRequests,
  jobs: fittedRequests,
  run: async (stand, findings) => {
    const { best, runnerUp, window } = await identified(stand, fitted);
    const { figures } = findings;
    figures["kind"] = best.model.kind;
    figures["limit"] = String(best.model.limit);
    figures["window ms"] = String(best.model.windowMs);
    figures["differences"] = best.differences;
    if (window !== undefined) {
      figures["window at least ms"] = window.shortestMs;
      figures["window at most ms"] = window.longestMs;
    }
    if (runnerUp !== undefined) {
      figures["runner-up"] = runnerUp.model.kind;
      figures["differences of the runner-up"] = runnerUp.differences;
    }
    const reading = readings[best.model.kind];
    if (reading === undefined) throw new Undecided("cancel was never refused: no limit was found");
    if (best.differences > differencesMax) {
      const nearest = `nearest is ${best.model.kind} with ${String(best.differences)} differences`;
      if (!stand.offers("clock")) throw new Undecided(`no model explains the trace: ${nearest}`);
      // Where time stands still the trace is exact: what no model explains is none of them.
      findings.equal("cancel, the kind of its window", kindsThatConform, `none, ${nearest}`);
      return;
    }
    findings.read(reading, "cancel");
  },
};

const lengthOfWindow: LoadCheck = {
  name: "rate/length-of-window",
  title: "The window is 10 s: of cancel by its whole trace, of every operation by its edges",
  covers: "RATE-09",
  needs: ["load"],
  realTimeMs: 10 * windowMs,
  requests: 300,
  jobs: 120,
  run: async (stand, findings) => {
    const { best } = await identified(stand, fitted);
    const explained = best.differences <= differencesMax && best.model.kind !== "none";
    if (explained) judgeLength("cancel", best.model, findings);
    for (const tier of allTiers.filter((each) => isOffered(stand, each))) {
      await judgeEdges(tier, explained ? best.model.kind : undefined, { stand, findings });
    }
    if (findings.mismatches.length > 0 || explained) return;
    throw new Undecided(`no model explains the trace of cancel: nearest is ${best.model.kind}`);
  },
};

interface Model {
  readonly windowMs: number;
  readonly parts?: number;
  readonly kind: LimiterKind;
}

function judgeLength(operation: string, model: Model, findings: Findings): void {
  const parts = model.kind === "split windows" ? (model.parts ?? 1) : 1;
  const seconds = model.windowMs / parts / 1_000;
  findings.equal(`${operation}, length of its window`, "10 s", `${String(seconds)} s`);
}

interface Judging {
  readonly stand: Stand;
  readonly findings: Findings;
}

/** The edges of one operation under the kind that cancel showed; an operation that never refused shows none. */
async function judgeEdges(
  tier: Tier,
  kind: LimiterKind | undefined,
  { stand, findings }: Judging,
): Promise<void> {
  const { operation, limit } = tier;
  const { trace, beyond, afterSilence, within } = await exhausted(stand, tier);
  demandAnswers(within, beyond, afterSilence);
  if (beyond.accepted > 0 || within.accepted === 0) return;
  const at = `${operation}, exhausted, after 20 s of silence`;
  findings.equal(
    at,
    "2 accepted",
    `${String(afterSilence.accepted)} accepted`,
    afterSilence.samples,
  );
  if (kind === undefined || operation === "cancel") return;
  const { best } = identify(trace, { limit, windowMs }, [kind]);
  if (best.differences <= differencesMax) judgeLength(operation, best.model, findings);
}

export const windowChecks: readonly LoadCheck[] = [lengthOfWindow, kindOfWindow];
