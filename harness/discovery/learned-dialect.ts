import { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import type { Lackable } from "../dialects/schema.ts";
import { spec } from "../dialects/spec.ts";
import { Unsupported } from "../outcome.ts";
import type { Target } from "../target.ts";

/** The dialect of a target as the user gave it, with what was and will be learned. */
export function dialectOf({
  dialect = spec,
  discovery,
}: Pick<Target, "dialect" | "discovery">): ConfiguredDialect {
  const configured = new ConfiguredDialect(dialect);
  discovery?.onLearned((learned) => configured.learn(learned));
  return configured;
}

/** Ends the check that calls an operation, or awaits a webhook, which the target lacks: what it would conclude without it is a guess. */
export function endCheck(dialect: ConfiguredDialect): (what: Lackable, obstacle: string) => never {
  return (what, obstacle) => {
    throw new Unsupported(obstacle, dialect.causeOfMissing(what));
  };
}
