import { request } from "undici";

import { abortAfter } from "./clock.ts";
import type { Clock } from "./clock.ts";
import type { JsonObject } from "./job.ts";
import { webhookHeaders, type WebhookTargets } from "./webhook-targets.ts";
import type { Work, WorkReport } from "./handler.ts";

/** What a handler tells of one execution (docs/test-my-server.md#the-ledger). */
interface LedgerEntry {
  readonly jobId: string;
  readonly attempt: number;
  readonly worker: string;
}

/** How long a ledger is waited for that says nothing, in real time. */
const ANSWER_WITHIN_MS = 2_000;

/** Tells ledgers what the workers of one endpoint do. It goes where webhooks may go, and nowhere else. */
export class LedgerCalls {
  readonly #clock: Clock;
  readonly #targets: WebhookTargets;

  constructor(clock: Clock, targets: WebhookTargets) {
    this.#clock = clock;
    this.#targets = targets;
  }

  /** Begins work that tells the ledger first, and tells it again before its end counts. */
  begin(
    { url, entry }: { readonly url: string; readonly entry: LedgerEntry },
    report: WorkReport,
    beginWork: (report: WorkReport) => Work,
  ): Work {
    let work: Work | undefined;
    let isStopped = false;
    const tell = (event: "start" | "end", then: () => void): void => {
      const body = { ...entry, event, atMs: this.#clock.nowMs() };
      const told = this.#post(url, body).then(() => (isStopped ? undefined : then()));
      this.#clock.track(told);
    };
    const ended: WorkReport["ended"] = (ending) => {
      // A process that died tells nobody.
      if (ending.kind === "died") report.ended(ending);
      else tell("end", () => report.ended(ending));
    };
    tell("start", () => {
      work = beginWork({ ...report, ended });
    });
    return {
      stop: () => {
        isStopped = true;
        work?.stop();
      },
    };
  }

  /** Settles when it was answered, or given up. Never rejects. */
  async #post(url: string, entry: JsonObject): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    const timer = abortAfter(controller, ANSWER_WITHIN_MS);
    try {
      const { body } = await request(url, {
        method: "POST",
        headers: { ...webhookHeaders, "content-type": "application/json" },
        body: JSON.stringify(entry),
        dispatcher: this.#targets.agent,
        signal,
      });
      await body.dump({ limit: 65_536, signal });
    } catch {
      // Whatever came of it is no affair of the job's.
    } finally {
      timer.cancel();
    }
  }
}

/** The ledger that an input names, if it names one. */
export function ledgerOf({ ledger }: JsonObject): string | undefined {
  return typeof ledger === "string" && /^https?:\/\//i.test(ledger) && URL.canParse(ledger)
    ? ledger
    : undefined;
}
