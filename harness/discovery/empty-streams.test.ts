import { expect, test } from "vitest";

import type { Exchange } from "../../client/exchange.ts";
import { at, exchangeOf } from "../../test/harness/exchange.ts";
import { inputs } from "../inputs/conformance-jobs.ts";
import { Discovery } from "./discovery.ts";
import { learnEmptyStreams } from "./streams.ts";

function submitted(id: string, input: object = inputs.stream(3, 0)): Exchange {
  return at(exchangeOf({ id, status: "IN_QUEUE" }, { operation: "run", sent: { input } }), 0);
}

function ended(id: string, ms = 10): Exchange {
  const record = { id, status: "COMPLETED", delayTime: 5, executionTime: ms - 5 };
  return at(exchangeOf(record, { jobId: id }), 6000);
}

function read(id: string, ms: number, chunks: readonly unknown[] = []): Exchange {
  return at(exchangeOf(chunks, { operation: "stream", jobId: id }), ms);
}

/** A job of three chunks whose stream is empty 5 s after its end. */
function emptyOf(id: string): readonly Exchange[] {
  return [submitted(id), read(id, 5100), ended(id)];
}

test.each([
  { what: "two jobs", seen: [...emptyOf("a"), ...emptyOf("b")], learned: true },
  { what: "one job, read twice", seen: [...emptyOf("a"), read("a", 7000)], learned: false },
  {
    what: "two jobs, one of them read as soon as it had ended",
    seen: [...emptyOf("a"), submitted("b"), read("b", 3000), ended("b")],
    learned: false,
  },
  {
    what: "two jobs, one of them still at work then",
    seen: [...emptyOf("a"), submitted("b"), read("b", 5100), ended("b", 5900)],
    learned: false,
  },
  {
    what: "two jobs, whose results may be gone",
    seen: [...emptyOf("a"), submitted("b"), read("b", 60_000), ended("b")],
    learned: false,
  },
  {
    what: "two jobs, one of which yields nothing",
    seen: [...emptyOf("a"), submitted("b", inputs.echo(1)), read("b", 5100), ended("b")],
    learned: false,
  },
  {
    what: "two jobs where a third gave a chunk",
    seen: [read("c", 1, [{}]), ...emptyOf("a"), ...emptyOf("b")],
    learned: false,
  },
])("that $what had empty streams teaches that all have: $learned", ({ seen, learned }) => {
  const discovery = new Discovery();
  for (const exchange of seen) learnEmptyStreams(discovery, exchange);
  expect(discovery.knows("streams-empty")).toBe(learned);
});
