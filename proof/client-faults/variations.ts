import type { ProgramFault } from "./client-fault.ts";

/** Another way to be right, as a change of the example's text. */
export const clientVariations: readonly Pick<ProgramFault, "name" | "changes">[] = [
  {
    name: "bare-key",
    changes: [["authorization: `Bearer ${apiKey}`", "authorization: apiKey"]],
  },
  {
    name: "constant-pauses",
    changes: [
      ["waitMs = Math.min(2 * waitMs, 5_000)", "waitMs += 0"],
      ["500 * 2 ** tries * (0.75 + Math.random() / 2)", "1_500"],
    ],
  },
  {
    name: "full-jitter",
    changes: [
      [
        "500 * 2 ** tries * (0.75 + Math.random() / 2)",
        "Math.max(250, Math.random() * 500 * 2 ** tries)",
      ],
    ],
  },
  {
    name: "one-read-more",
    changes: [
      [
        "return outputOf(await this.waitFor((await this.submit(input)).id));",
        "const { id } = await this.waitFor((await this.submit(input)).id);\n    return outputOf(await this.status(id));",
      ],
    ],
  },
  {
    name: "drains-twice",
    changes: [
      [
        "if (finalStates.has(status)) return;",
        "if (finalStates.has(status)) {\n        await this.#ask('GET', `/stream/${encodeURIComponent(id)}`);\n        return;\n      }",
      ],
    ],
  },
  {
    name: "raises-on-429",
    changes: [["if (answer.status !== 429 && !isWorthIt) {", "if (!isWorthIt) {"]],
  },
  {
    name: "asks-for-a-wait-and-a-policy",
    changes: [
      [
        'this.#ask("POST", "/runsync", { input })',
        'this.#ask("POST", "/runsync?wait=60000", { input })',
      ],
      [
        'this.#ask("POST", "/run", { input })',
        'this.#ask("POST", "/run", { input, policy: { executionTimeout: 600_000, ttl: 3_600_000, lowPriority: true } })',
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
