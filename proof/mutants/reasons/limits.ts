import type { Reason } from "../reason.ts";
import { because } from "./because.ts";

/** Reasons for mutants that no client can see. */
export const unseen: readonly Reason[] = [
  ...because(
    "reference/limiters.ts",
    "Only permitted variations limit in this way, and their tests try it.",
    [
      { within: "FixedAligned*" },
      { within: "SlidingLog*" },
      { within: "SlidingCounter*" },
      { within: "TokenBucket*" },
      { within: "Gcra*" },
    ],
  ),
  ...because("reference/limits.ts", "Limits of an endpoint's own are the control protocol's.", [
    ["own?.[operation]?.concurrent", "own?.[operation].concurrent"],
    ["own?.[operation]?.requests", "own?.[operation].requests"],
  ]),
  ...because(
    "reference/limits.ts",
    "Whether a refusal for the cap counts for the window is open.",
    [["!isFull || limits.countsCapRefusals", "true"]],
  ),
  ...because(
    "reference/limits.ts",
    "A refusal changes nothing of what is in flight: the change is 0.",
    [
      { within: "Limits.enter", original: "change !== 0" },
      ["gate.inFlight.count += change", "gate.inFlight.count -= change"],
      ['"cap"', '""'],
      ['"window"', '""'],
    ],
  ),
  ...because(
    "reference/limits.ts",
    "Each request counts from its beginning, and frees its place at its end.",
    [
      ["!isCounted && !isOver", "false"],
      { within: "Limits.#place.handled", mutator: "BlockStatement" },
      { within: "Limits.#place.handled", original: "!isOver" },
      { within: "Limits.#place.handled", original: "inFlight.count += 1" },
      { within: "Limits.#place", original: "isCounted", replacement: "true" },
      ["isCounted && limits.freesPlace(operation, how, answered)", "true"],
      [
        "isCounted && limits.freesPlace(operation, how, answered)",
        "isCounted || limits.freesPlace(operation, how, answered)",
      ],
    ],
  ),
  ...because("reference/limits.ts", "An operation without a limit has an endless one.", [
    [
      "!Number.isFinite(base) || !limits.isCounted(operation)",
      "!Number.isFinite(base) && !limits.isCounted(operation)",
    ],
    ["!Number.isFinite(base) || !limits.isCounted(operation)", "false"],
  ]),
  ...because("reference/limiters.ts", "Which window its last moment belongs to is open.", [
    {
      within: "FixedFromFirst.take",
      original: "nowMs >= this.#openedAtMs + this.windowMs",
      replacement: "nowMs > this.#openedAtMs + this.windowMs",
    },
  ]),
  ...because("reference/limits.ts", "No answer empties a window.", [
    ["limits.forgetsAfter(operation, status)", "false"],
  ]),
  ...because(
    "reference/limits.ts",
    "Each operation of each endpoint has a limiter and a count of its own, all made alike.",
    [["{ operation, endpointId, nowMs }", "{}"]],
  ),
];
