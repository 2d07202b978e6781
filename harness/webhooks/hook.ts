import { monotonicNowMs } from "../../client/exchange.ts";
import { parseJson } from "../../client/parse-json.ts";
import type { MetDeviation } from "../../client/exchange.ts";
import type { Interval } from "../interval.ts";
import { isFinal, isLooseRecord } from "../record.ts";

/** How one attempt is treated: answered with a status, its connection torn down, or left without an answer. */
export type HookReply = number | "reset" | "silence";

/** One call of a webhook, as it came in. */
export interface HookAttempt {
  readonly method: string;
  /** Path and query, as the target sent them. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, in the specification's terms. */
  readonly text: string;
  /** Whether its body was not kept, since all calls together brought more than a run keeps. */
  readonly isCut?: boolean;
  /** The deviation that a dialect had to translate. */
  readonly deviation?: MetDeviation;
  /** When it came, in milliseconds since the epoch, whatever the endpoint's clock. */
  readonly at: Interval;
}

/** One webhook address: attempt n gets the n-th reply, and later attempts the last one. */
export class Hook {
  readonly url: string;
  /** In milliseconds since the epoch. */
  readonly madeAtMs = monotonicNowMs();
  readonly attempts: HookAttempt[] = [];
  /** How each attempt was treated. */
  readonly answered: HookReply[] = [];
  /** Awaited before an attempt is answered; absent: nothing is. */
  meanwhile: ((attempt: HookAttempt) => Promise<void>) | undefined;
  /** Requests for the address that a redirect named. */
  followed = 0;
  readonly #replies: readonly HookReply[];

  /** @param replies none: every attempt is answered with 200 */
  constructor(url: string, replies: readonly HookReply[]) {
    this.url = url;
    this.#replies = replies;
  }

  /** Records an attempt and says how to treat it. */
  receive(attempt: HookAttempt): HookReply {
    const reply = this.#replies[this.attempts.length] ?? this.#replies.at(-1);
    this.attempts.push(attempt);
    this.answered.push(reply ?? 200);
    return reply ?? 200;
  }
}

/** The ids of the jobs whose final record has come with a call. */
export function endedJobsIn(hooks: readonly Hook[]): readonly string[] {
  return hooks.flatMap(({ attempts }) => attempts.flatMap(({ text }) => endedJobIn(text) ?? []));
}

function endedJobIn(text: string): string | undefined {
  const record = parseJson(text);
  return isLooseRecord(record) && isFinal(record) ? record.id : undefined;
}

/** A hook whose port is closed at first: a call is refused and leaves no trace. */
export interface ClosedHook {
  readonly hook: Hook;
  /** Opens the port: from now on calls arrive. */
  open: () => Promise<void>;
}
