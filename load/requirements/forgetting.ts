import { Inconclusive } from "../../harness/outcome.ts";
import type { LoadCheck } from "./check.ts";
import type { LoadFindings } from "./findings.ts";
import { requireAnswers } from "./answers.ts";
import { refilledIn } from "./turns.ts";
import { costOf } from "../sent-load.ts";
import type { LoadSession } from "./load-session.ts";
import { windowMs } from "../../openapi/operations.ts";

const limit = 100;
const before = 90;
const errors = 2;
const after = 30;

/**
 * An error in the middle of a window may count or not, but it gives nothing back: no more requests
 * are accepted than the limit, and no fewer than what the errors leave of it.
 */
async function judgeErrors(
  session: LoadSession,
  findings: LoadFindings,
  triesLeft = session.virtual ? 0 : 2,
): Promise<void> {
  const endpoint = await session.endpoint({ workers: 1 });
  await endpoint.ensureJobsToCancel(before + after);
  await endpoint.waitUntilRested("cancel");
  const beganMs = endpoint.nowMs;
  const first = await endpoint.send("cancel", before);
  const unknown = Array.from({ length: errors }, (_, at) => `queueproof-unknown-${at}`);
  const wrong = await endpoint.cancel(unknown);
  const second = await endpoint.send("cancel", after);
  requireAnswers(first, wrong, second);
  findings.figures["answers to cancels of unknown jobs"] = wrong.words;
  if (wrong.refused === errors)
    throw new Inconclusive("every request that should be an error was answered 429 instead");
  const tookMs = endpoint.nowMs - beganMs;
  const accepted = first.accepted + second.accepted;
  const isRight = accepted >= limit - errors && accepted <= limit + refilledIn(tookMs, limit);
  const expected = `${limit} accepted, or fewer by the ${errors} errors`;
  const got = isRight ? expected : `${accepted} accepted`;
  // On a real clock a window may have begun anew in between, but not each time.
  if (!isRight && triesLeft > 0) return judgeErrors(session, findings, triesLeft - 1);
  findings.equal("cancel, with errors in the middle of its window", expected, got, second.samples);
}

export const forgettingCheck: LoadCheck = {
  name: "rate/errors-give-nothing-back",
  title: "An error in the middle of a window frees nothing of it",
  covers: ["RATE-05"],
  needs: ["load"],
  usesUp: "cancel",
  realTimeMs: 2 * windowMs,
  sharedMs: () => windowMs,
  cost: () => costOf("cancel", before + after + errors, before + after),
  run: (session, findings) => judgeErrors(session, findings),
};
