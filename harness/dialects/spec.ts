import type { Dialect } from "./schema.ts";

/** What the specification says and nothing else. */
export const spec: Dialect = {
  name: "spec",
  description:
    "The specification itself: no reading of an open requirement is demanded, no deviation tolerated.",
};
