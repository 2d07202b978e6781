import { isInCi } from "../tools.ts";
import { findK6, k6Cache } from "../../load/k6/find.ts";
import type { K6 } from "../../load/k6/find.ts";

/** The k6 that tests run, or why they are skipped. In CI its absence is an error. */
export async function realK6(): Promise<{ readonly k6?: K6; readonly reason: string }> {
  const found = await findK6({ environment: process.env, cacheDirectory: k6Cache(process.env) });
  if (!("missing" in found)) return { k6: found, reason: "" };

  if (isInCi()) throw new Error(`k6 has to run here: ${found.missing}`);
  return { reason: found.missing };
}
