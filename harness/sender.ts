import { sendAtPace } from "./endpoint/send-at-pace.ts";
import type { RequestCounts } from "./endpoint/send-at-pace.ts";
import type { Pace } from "./endpoint/pace.ts";
import type { NewJobs, SendRequest } from "./new-jobs.ts";
import { sendUntilAnswered } from "./resend.ts";
import type { Sender } from "./resend.ts";
import type { RunBound } from "./run-bound.ts";

/** What decides how a request of a check is sent, and when it is sent again. */
export interface SenderParts extends Sender {
  readonly bound: RunBound;
  readonly pace: Pace;
  /** Absent where time takes requests out of the windows of their limits. */
  readonly counts: RequestCounts | undefined;
  readonly newJobs: NewJobs;
  /** Called where a request is refused for its haste, before it is sent again. */
  readonly onRefused: () => void;
}

/** Sends requests until they are answered, at the target's pace, and where they name a job, until that is found. */
export function senderOf({
  bound,
  pace,
  counts,
  newJobs,
  onRefused,
  ...sender
}: SenderParts): SendRequest {
  const send = sendAtPace({
    pace,
    counts,
    onRefused,
    send: async (request, context) => {
      const result = await sendUntilAnswered(sender, request, context);
      if (result.answer !== undefined && !context.hasOwnTimeout) {
        bound.answered(result.sentAtMs, result.answeredAtMs);
      }
      return result;
    },
  });
  return async (request, context) => newJobs.sendUntilFound(send, request, context);
}
