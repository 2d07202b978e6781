import { mixOperations } from "../load/open-loop/mix.ts";
import type { Mix, MixOperation } from "../load/open-loop/mix.ts";
import { askedFor } from "./recording/recorded-exchange.ts";
import type { OperationRoute, RecordedExchange } from "./recording/recorded-exchange.ts";

/** Counts which operations a recording asks for, and how often: a mix has its rates, and nothing of its contents. */
export class RecordedMix {
  readonly #routes: readonly OperationRoute[];
  readonly #counts = new Map<MixOperation, number>();
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(routes: readonly OperationRoute[]) {
    this.#routes = routes;
  }

  observe(recorded: RecordedExchange): void {
    const { operation } = askedFor(recorded, this.#routes) ?? {};
    const name = mixOperations.find((each) => each === operation);
    if (name === undefined) return;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#firstMs = Math.min(this.#firstMs, recorded.arrivedMs);
    this.#lastMs = Math.max(this.#lastMs, recorded.arrivedMs);
  }

  /** The mix; undefined where there were no two requests that are apart in time. */
  end(): Mix | undefined {
    const seconds = (this.#lastMs - this.#firstMs) / 1_000;
    if (!(seconds > 0)) return undefined;
    const operations = Object.fromEntries(
      [...this.#counts].map(([name, count]) => [name, Number((count / seconds).toFixed(3))]),
    );
    return { arrival: "poisson", operations, jobs: { quick: 1 } };
  }
}
