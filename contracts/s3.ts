import type { Check } from "../harness/index.ts";
import { s3DeliveryChecks } from "./s3/delivery.ts";
import { s3SecrecyChecks } from "./s3/secrets-kept.ts";

/** Checks of s3Config (docs/specification.md#s3config). */
export const s3Checks: readonly Check[] = [...s3DeliveryChecks, ...s3SecrecyChecks];
