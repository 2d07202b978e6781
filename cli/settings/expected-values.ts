import { durationPattern } from "./duration.ts";

// What several options expect.

export const url = {
  pattern: "^https?://[^/?#\\s@]+(?:/[^?#\\s]*)?$",
  expects: "an http or https URL",
};
export const duration = {
  pattern: durationPattern,
  expects: "a duration such as 500ms, 30s, 2m or 1h",
};
export const selection = { expects: "a requirement id or a glob such as RATE-*" };
export const momentPattern =
  "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?(Z|[+-]\\d{2}:\\d{2})$";
