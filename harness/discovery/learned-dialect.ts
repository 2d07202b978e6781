import { ConfiguredDialect } from "../dialects/configured-dialect.ts";
import { spec } from "../dialects/index.ts";
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
