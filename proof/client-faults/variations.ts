import { key, polls, throws, wait, run, runsync, streamEnds, submitted } from "./client-fault.ts";
import type { ProgramFault } from "./client-fault.ts";

/** Another way to be right, as a change of the example's text. */
export const clientVariations: readonly Pick<ProgramFault, "name" | "changes">[] = [
  {
    name: "bare-key",
    changes: [[key, "authorization: apiKey"]],
  },
  {
    name: "constant-pauses",
    changes: [
      [polls, "waitMs += 0"],
      [wait, "answer.retryAfterMs ?? 1_500"],
    ],
  },
  {
    name: "full-jitter",
    changes: [[wait, "answer.retryAfterMs ?? Math.max(250, Math.random() * 500 * 2 ** tries)"]],
  },
  {
    name: "one-read-more",
    changes: [
      [
        submitted,
        "const { id } = await this.waitFor((await this.submit(input)).id);\n    return outputOf(await this.status(id));",
      ],
    ],
  },
  {
    name: "drains-twice",
    changes: [
      [
        streamEnds,
        "if (finalStates.has(status)) {\n        await this.#ask('GET', `/stream/${encodeURIComponent(id)}`);\n        return;\n      }",
      ],
    ],
  },
  {
    name: "raises-on-429",
    changes: [[throws, "if (!isWorthIt) {"]],
  },
  {
    name: "asks-for-a-wait-and-a-policy",
    changes: [
      [runsync, '"/runsync?wait=60000", { input }'],
      [
        run,
        '"/run", { input, policy: { executionTimeout: 600_000, ttl: 3_600_000, lowPriority: true } }',
      ],
    ],
  },
  {
    name: "awaits-a-new-job-for-long",
    changes: [
      ["const newJobMs = 10_000;", "const newJobMs = 150_000;"],
      ["const readTriesMax = 5;", "const readTriesMax = 500;"],
    ],
  },
];
