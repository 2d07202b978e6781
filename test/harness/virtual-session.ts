import { onTestFinished } from "vitest";
import { startReference } from "../../reference/start-reference.ts";
import { Session } from "../../harness/session.ts";
import { ConfiguredDialect } from "../../harness/dialects/configured-dialect.ts";
import type { Deviations, Dialect } from "../../harness/dialects/schema.ts";

/** A session with the reference, on whose endpoints time stands still. */
export async function virtualSession(): Promise<Session> {
  const reference = await startReference();
  onTestFinished(async () => reference.stop());
  const { baseUrl, controlUrl = "", endpointId, apiKey } = reference;
  const capabilities = ["handler", "workers", "endpoints", "clock"] as const;
  const session = new Session({ baseUrl, controlUrl, endpointId, apiKey, capabilities }, 1);
  onTestFinished(async () => session.close());
  return session;
}

/** An adapter for a dialect called `other`. */
export function speaking(
  deviations: Deviations,
  readings: Dialect["readings"] = {},
): ConfiguredDialect {
  return new ConfiguredDialect({ name: "other", description: "Other.", readings, deviations });
}
