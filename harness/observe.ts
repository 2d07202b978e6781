import { Redactor } from "../client/redactor.ts";
import type { ObservingCheck } from "./check.ts";
import { Recorder } from "./evidence/recorder.ts";
import { Expectations } from "./expect.ts";
import { noDoubts } from "./judge-differences.ts";
import type { CheckEnding } from "./judge.ts";
import type { Session } from "./session.ts";
import { catchEarlyEnd } from "./verdict.ts";

/** Runs a check that only judges what the others observed: it needs no endpoint, and no time but its own. */
export async function observe(check: ObservingCheck, session: Session): Promise<CheckEnding> {
  const recorder = new Recorder(new Redactor(session.redactor), session.dialect);
  const expect = new Expectations(check.covers[0], recorder.findings);
  const startedAtMs = performance.now();
  const ended = await catchEarlyEnd(async () => {
    await Promise.resolve();
    check.observe({ expect, history: session.history, recorder });
  });
  return {
    ...noDoubts,
    recorder,
    recordedSteps: [],
    durationMs: performance.now() - startedAtMs,
    pacedMs: 0,
    refusals: 0,
    heldMs: { sharing: 0, alone: 0 },
    isAlone: true,
    ...ended,
  };
}
