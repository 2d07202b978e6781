import type { OperationName } from "../../openapi/operations.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { Evidence } from "../../reports/model.ts";
import type { BreachWords } from "../decision.ts";
import { placeOf } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";

/** What contradicts a requirement, with the exchanges that show it. */
export interface TrafficBreach extends BreachWords {
  readonly evidence: readonly Evidence[];
}

/** What one exchange shows: the requirement, whether it holds, and else what was expected and what came. */
export type ShownRequirement = readonly [
  id: RequirementId,
  holds: boolean,
  expected: string,
  got: string,
];

/** What was seen of one requirement. */
export interface SeenRequirement {
  /** How often it was seen in full, by operation. */
  readonly held: Map<string, number>;
  /** The first breaches. */
  readonly breaches: TrafficBreach[];
  breachCount: number;
}

const breachesKept = 5;

/** Gathers what traffic shows of each requirement. */
export class SeenRequirements {
  readonly #seen = new Map<RequirementId, SeenRequirement>();
  readonly #onFirstBreach: ((id: RequirementId, breach: TrafficBreach) => void) | undefined;

  /** @param onFirstBreach called with the first breach of each requirement */
  constructor(onFirstBreach?: (id: RequirementId, breach: TrafficBreach) => void) {
    this.#onFirstBreach = onFirstBreach;
  }

  /** @param what whose requests showed it: those of an operation, or of clients */
  held(id: RequirementId, what: OperationName | "requests", times = 1): void {
    const { held } = this.#of(id);
    held.set(what, (held.get(what) ?? 0) + times);
  }

  /**
   * Notes what one exchange shows of a requirement.
   * @param detail follows the exchange's method and path where the breach is told, such as " with no input"
   */
  tell(
    seen: Pick<SeenExchange, "recorded" | "operation" | "evidence">,
    [id, holds, expected, got]: ShownRequirement,
    detail = "",
  ): void {
    if (holds) return this.held(id, seen.operation);
    return this.broken(id, () => ({
      at: `${placeOf(seen.recorded)}${detail}`,
      expected,
      got,
      evidence: [seen.evidence()],
    }));
  }

  broken(id: RequirementId, breach: () => TrafficBreach): void {
    const seen = this.#of(id);
    seen.breachCount += 1;
    if (seen.breaches.length >= breachesKept) return;
    const made = breach();
    seen.breaches.push(made);
    if (seen.breachCount === 1) this.#onFirstBreach?.(id, made);
  }

  #of(id: RequirementId): SeenRequirement {
    const known = this.#seen.get(id);
    if (known !== undefined) return known;
    const seen = { held: new Map<string, number>(), breaches: [], breachCount: 0 };
    this.#seen.set(id, seen);
    return seen;
  }

  all(): ReadonlyMap<RequirementId, SeenRequirement> {
    return this.#seen;
  }
}
