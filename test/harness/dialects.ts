import { ConfiguredDialect } from "../../harness/dialects/configured-dialect.ts";
import type { Deviations, Dialect } from "../../harness/dialects/schema.ts";

/** An adapter for a dialect called `other`. */
export function speaking(
  deviations: Deviations,
  readings: Dialect["readings"] = {},
): ConfiguredDialect {
  return new ConfiguredDialect({ name: "other", description: "Other.", readings, deviations });
}
