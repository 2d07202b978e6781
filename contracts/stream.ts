import type { Check } from "../harness/index.ts";
import { streamOrderChecks } from "./stream/order.ts";
import { streamShapeChecks } from "./stream/shape.ts";
import { streamSizeChecks } from "./stream/size.ts";

/** Checks of stream (docs/specification.md#stream-response). */
export const streamChecks: readonly Check[] = [
  ...streamShapeChecks,
  ...streamOrderChecks,
  ...streamSizeChecks,
];
