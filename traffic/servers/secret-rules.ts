import { memberOf } from "../recording/recorded-exchange.ts";
import type { SeenExchange } from "./seen-exchange.ts";
import type { SeenRequirements } from "./seen.ts";

/** Shorter values stand in any text. */
const secretCharactersMin = 8;
const secretsKept = 1000;
const secretNames = ["accessId", "accessSecret"];

/** Values of storage settings that were submitted. */
export class SentSecrets {
  readonly #values = new Set<string>();

  /** Remembers those of a submission. */
  learn({ sent }: SeenExchange): void {
    const config = memberOf(sent, "s3Config");
    for (const name of secretNames) {
      const value = memberOf(config, name);
      if (typeof value !== "string" || value.length < secretCharactersMin) continue;
      if (this.#values.size < secretsKept) this.#values.add(value);
    }
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  isIn(text: string): boolean {
    return [...this.#values].some((value) => text.includes(value));
  }
}

/** No answer contains s3Config or one of its secrets (docs/specification.md#s3config). */
export function judgeSecrets(
  seen: SeenExchange,
  secrets: SentSecrets,
  requirements: SeenRequirements,
): void {
  secrets.learn(seen);
  if (secrets.isEmpty) return;
  const text = JSON.stringify(withoutOutput(seen.got) ?? "");
  const isShown = secrets.isIn(text) || memberOf(seen.got, "s3Config") !== undefined;
  const expected = "no s3Config and no value of it";
  requirements.tell(seen, ["S3CF-02", !isShown, expected, "one of its values"]);
}

/** What a worker returns is its own: it may name where it has stored something. */
function withoutOutput(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return undefined;
  return Object.fromEntries(Object.entries(answer).filter(([name]) => name !== "output"));
}
