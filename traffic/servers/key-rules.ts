import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";

// What is answered to which form of a key (docs/specification.md#authentication).

type KeyForm = "bare" | "bearer";

const requirementOf = { bare: "AUTH-03", bearer: "AUTH-04" } as const;

interface KnownKey {
  readonly accepted: Set<KeyForm>;
  /** The first refusal of each form. */
  readonly refused: Map<KeyForm, SeenExchange>;
}

const keysKept = 1000;

/** Follows the keys of a recording: one that is taken in one form has to be taken in the other. */
export class KnownKeys {
  readonly #requirements: SeenRequirements;
  readonly #keys = new Map<string, KnownKey>();
  readonly #withoutHeader: SeenExchange[] = [];
  #areHeadersRecorded = false;

  constructor(requirements: SeenRequirements) {
    this.#requirements = requirements;
  }

  observe(seen: SeenExchange): void {
    const header = seen.recorded.headers["authorization"];
    if (header === undefined) return this.#without(seen);
    this.#areHeadersRecorded = true;
    const form: KeyForm = /^Bearer /i.test(header) ? "bearer" : "bare";
    const name = `${seen.endpointId} ${header.replace(/^Bearer /i, "")}`;
    if (!this.#keys.has(name) && this.#keys.size >= keysKept) return undefined;
    const key = this.#keys.get(name) ?? { accepted: new Set(), refused: new Map() };
    this.#keys.set(name, key);
    if (seen.isSuccess) {
      key.accepted.add(form);
      this.#requirements.held(requirementOf[form], seen.operation);
    } else if (seen.status === 401 && !key.refused.has(form)) {
      key.refused.set(form, seen);
    }
    return undefined;
  }

  /** Judges what only the whole recording shows. */
  end(): void {
    for (const { accepted, refused } of this.#keys.values()) {
      for (const [form, seen] of refused) {
        const other = form === "bare" ? "bearer" : "bare";
        if (accepted.has(form) || !accepted.has(other)) continue;
        const expected = `the key accepted ${form === "bare" ? "bare" : "after `Bearer `"}, too`;
        this.#requirements.tell(seen, [requirementOf[form], false, expected, "401"]);
      }
    }
    // Recorders of browsers and tools leave the header out.
    if (!this.#areHeadersRecorded) return;
    for (const seen of this.#withoutHeader) {
      const verdict = ["AUTH-01", false, "401", String(seen.status)] as const;
      this.#requirements.tell(seen, verdict, " without a key");
    }
  }

  #without(seen: SeenExchange): void {
    if (seen.status === 401) this.#requirements.held("AUTH-01", seen.operation);
    else if (seen.isSuccess && this.#withoutHeader.length < 5) this.#withoutHeader.push(seen);
  }
}
