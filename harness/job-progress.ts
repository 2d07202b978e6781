import { monotonicNowMs } from "../client/exchange.ts";
import type { Exchange } from "../client/exchange.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { givenJobId } from "./evidence/failing.ts";
import { isFinal, recordShownBy } from "./record.ts";
import { brief } from "./show.ts";

/** So many waits in a row in which no job of the run has begun or ended: one may be chance. */
const vainWaitsMax = 2;
/** A shorter wait shows nothing, in milliseconds: where every job waits, and where one is said to be at work. */
const vainWaitMsMin = { waiting: 4000, working: 20_000 };
const bodyCharactersMax = 120;

/** The id of the cause that no job begins or ends any more. */
export const nothingMovesId = "nothing-moves";

/** Why a difference proves nothing that a check saw meanwhile. */
export const nothingMoves = "no job of the run begins or ends any more";

/** Watches whether jobs of the run begin and end. Where none does any more, nobody waits for one. */
export class JobProgress {
  readonly #discovery: Discovery;
  readonly #states = new Map<string, string>();
  /** The submissions of jobs that were not seen to begin or to end, the earliest first. */
  readonly #unmoved = new Map<string, Exchange>();
  #movedAtMs = monotonicNowMs();
  #endedAt: Date | undefined;
  /** When each wait began that was in vain since then. */
  readonly #vainWaits = new Set<number>();

  constructor(discovery: Discovery) {
    this.#discovery = discovery;
  }

  /** Whether no job begins or ends any more. */
  get isStuck(): boolean {
    return this.#vainWaits.size >= vainWaitsMax;
  }

  /** Has to be called with every exchange. */
  note(exchange: Exchange): void {
    const record = recordShownBy(exchange);
    if (record === undefined) return;
    const { id, status } = record;
    if (givenJobId(exchange) !== undefined && !this.#states.has(id))
      this.#unmoved.set(id, exchange);
    if (this.#states.get(id) === status) return;
    this.#states.set(id, status);
    // A job that is cancelled or waits shows nothing of the workers.
    if (isFinal(record)) this.#unmoved.delete(id);
    if (status === "IN_QUEUE" || status === "CANCELLED") return;
    this.#unmoved.delete(id);
    this.#movedAtMs = monotonicNowMs();
    this.#vainWaits.clear();
    if (isFinal(record)) this.#endedAt = new Date();
  }

  /** Has to be called where a check has waited in vain since `sinceMs` for a job of its own, and while it goes on to. */
  waitedInVain(sinceMs: number): void {
    const isAnyAtWork = [...this.#states.values()].includes("IN_PROGRESS");
    const waitMsMin = vainWaitMsMin[isAnyAtWork ? "working" : "waiting"];
    if (this.isStuck || monotonicNowMs() - sinceMs < waitMsMin) return;
    if (this.#movedAtMs > sinceMs) return;
    this.#vainWaits.add(sinceMs);
    if (this.isStuck) this.#learn();
  }

  #learn(): void {
    const [first] = this.#unmoved.values();
    const { operation, request } = first ?? { operation: "run", request: undefined };
    const body = request?.body === undefined ? "" : ` ${brief(request.body, bodyCharactersMax)}`;
    const since =
      this.#endedAt === undefined
        ? "no job has ended since the run began"
        : `no job has ended since ${this.#endedAt.toTimeString().slice(0, 8)}`;
    this.#discovery.learn({
      id: nothingMovesId,
      topic: "jobs",
      text: `${since}, and none has begun: the first that stays is of POST ${operation}${body}`,
      adapted: "no job is waited for until one moves",
      seen: first === undefined ? [] : [first],
    });
  }
}
