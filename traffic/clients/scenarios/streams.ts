import { setTimeout as pause } from "node:timers/promises";
import type { HandlerFunction } from "../../../reference/own-handler.ts";
import { delivers, endsWithItsJob } from "../expectations.ts";
import type { ClientScenario } from "../scenario.ts";
import { cancelledByOthers, first } from "../troubles.ts";
import { cause, endless } from "./jobs-of-scenarios.ts";

/** Yields these chunks, one after the other. */
const yielding =
  (chunks: readonly unknown[], everyMs: number): (() => HandlerFunction) =>
  () =>
    async function* (_input, { signal }) {
      for (const chunk of chunks) {
        await pause(everyMs, undefined, { signal });
        yield chunk;
      }
    };

const three = [{ text: "one" }, { text: "two" }, { text: "three" }];
const hundred = Array.from({ length: 100 }, (_, index) => ({ index }));
const split = ["na", "ïve ", "👩‍", "👩", "‍👧"].map((text) => ({ text }));

function streaming(
  name: string,
  about: string,
  [chunks, everyMs]: readonly [readonly unknown[], number],
): ClientScenario {
  return {
    name,
    about,
    task: "stream",
    output: chunks,
    handler: yielding(chunks, everyMs),
    timeoutMs: 40_000,
    shows: ["CLNT-01", "CLNT-03"],
    decides: { "CLNT-50": delivers, "CLNT-51": endsWithItsJob },
  };
}

/** How a client reads a stream. */
export const ofStreams: readonly ClientScenario[] = [
  streaming("stream-plain", "A stream of three chunks.", [three, 300]),
  streaming("stream-one", "A stream of one chunk.", [[{ text: "all of it" }], 300]),
  streaming("stream-hundred", "A stream of a hundred chunks in two seconds.", [hundred, 20]),
  streaming("stream-split", "Characters are split between chunks.", [split, 100]),
  streaming("stream-none", "A stream without any chunk.", [[], 0]),
  {
    name: "stream-failed",
    timeoutMs: 40_000,
    about: "The handler fails after two chunks.",
    task: "stream",
    handler: () =>
      async function* () {
        yield three[0];
        await pause(300);
        yield three[1];
        throw new Error(cause);
      },
    decides: { "CLNT-51": endsWithItsJob },
  },
  {
    name: "stream-cancelled",
    timeoutMs: 40_000,
    about: "Somebody else cancels the job before any chunk has come.",
    task: "stream",
    handler: endless,
    trouble: cancelledByOthers,
    decides: { "CLNT-51": endsWithItsJob },
  },
  {
    name: "stream-slow",
    about: "The first answer to stream takes 10 s.",
    task: "stream",
    output: three,
    handler: yielding(three, 100),
    trouble: first("stream", { delayMs: 10_000 }, 1),
    timeoutMs: 60_000,
    decides: { "CLNT-43": delivers },
  },
];
