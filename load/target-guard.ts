import { Transport } from "../client/transport.ts";
import { monotonicNowMs } from "../client/exchange.ts";
import type { RequestRules } from "../client/request-rules.ts";
import { probeTarget } from "../harness/open-transport.ts";
import { TargetWatch } from "../harness/target-watch.ts";
import type { WatchedCall } from "../harness/target-watch.ts";
import type { Outage, TargetGone } from "../reports/model.ts";
import type { LoadMeter } from "./meter.ts";

/** The watch begins to ask after 4 s of silence. */
const excuseEveryMs = 500;

/**
 * Watches whether the target is there while load is sent; in pauses it asks the target now and then. For its watch it
 * is the one request that is always in flight: the watch reads what that is when it reports.
 */
export class TargetGuard implements LoadMeter, WatchedCall {
  /** The check that is under way. */
  check = "load";
  /** The first request since the last answer. */
  request = "GET /";
  /** The times at which the target was away. */
  readonly outages: Outage[] = [];
  /** Aborted, with the reason, when it has answered nothing for too long. */
  readonly gone: AbortSignal;
  /** How the target went for good; `undefined` while it is there. */
  targetGone: TargetGone | undefined;
  readonly #transport: Transport;
  readonly #watch: TargetWatch;
  #isAnswered = true;

  constructor(baseUrl: string, rules: RequestRules) {
    this.#transport = new Transport(rules);
    const controller = new AbortController();
    this.gone = controller.signal;
    this.#watch = new TargetWatch({
      timeoutMs: rules.timeoutMs,
      startedAtMs: monotonicNowMs(),
      probe: async (withinMs) => probeTarget(this.#transport, baseUrl, withinMs),
      onGone: (gone) => {
        this.targetGone = gone;
        controller.abort(gone.reason);
      },
      onBack: (outage) => void this.outages.push(outage),
    });
    this.#watch.sent(this);
  }

  sent(request: string): void {
    if (this.#isAnswered) this.request = request;
    this.#isAnswered = false;
  }

  answered(status: number): void {
    if (status === 0) {
      void this.isThere();
      return;
    }
    this.#isAnswered = true;
    this.#watch.noteAnswer();
  }

  /** Until the function that it returns is called, silence says nothing about the target. */
  excuse(): () => void {
    const timer = setInterval(() => this.#watch.noteAnswer(), excuseEveryMs);
    return () => clearInterval(timer);
  }

  async isThere(): Promise<boolean> {
    return this.#watch.isThere(this, monotonicNowMs(), "a request got no answer");
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#transport.close();
  }
}
