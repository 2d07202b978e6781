import { changed } from "../reference/behaviour.ts";
import type { JobKind } from "../openapi/capabilities.ts";
import type { Behaviour } from "../reference/behaviour.ts";

type Input = Readonly<Record<string, unknown>>;

/** How long the jobs of an owner's handler work, in milliseconds. */
export interface OwnersTimes {
  readonly quickMs: number;
  /** Drawn anew for each job. */
  readonly imageMs: readonly [least: number, most: number];
}

/** An owner's handler: it streams text, makes images, and fails on odd input. It knows none of our ops. */
function workOf(input: Input, { quickMs, imageMs }: OwnersTimes): Input {
  const { prompt, stream, image } = input;
  if (typeof image === "string") {
    const [leastMs, mostMs] = imageMs;
    const ms = leastMs + Math.round(Math.random() * (mostMs - leastMs));
    // It yields a preview after each quarter of its work.
    return { op: "stream", count: 4, intervalMs: Math.ceil(ms / 4) };
  }
  if (typeof prompt !== "string") return { op: "fail", message: "prompt is not a text" };
  if (stream === true) return { op: "text", bytes: 60, chunks: 5, intervalMs: 300 };
  return { op: "sleep", ms: quickMs, value: answers.get(prompt) ?? generated(prompt) };
}

/** What a text generator answers: a text as models write them, when it was made, and how sure it was of each token. */
function generated(prompt: string): Input {
  const tokens = Array.from({ length: 120 }, (_, at) => ({ at, logProbability: -1 / (at + 3) }));
  return {
    text: `${prompt}, <b>world</b> & cafe\u0301:\r\n100%25 of it.\n`,
    "model.version": "7b",
    createdAt: "2026-01-02T03:04:05+01:00",
    createdAtMs: 1_767_319_445_000,
    tokens,
  };
}

const answers: ReadonlyMap<string, unknown> = new Map([
  ["2+2", { answer: 4 }],
  ["2+3", { answer: 5 }],
]);

/** Changes a behaviour so that workers run that handler. */
export function withOwnersHandler(behaviour: Behaviour, times: OwnersTimes): Behaviour {
  const { handlerInput } = behaviour.lifecycle;
  return changed(behaviour, {
    lifecycle: { handlerInput: (job) => workOf(handlerInput(job), times) },
  });
}

/** The jobs file of that handler's owner. */
export function ownersJobs({
  imageMs: [atLeastMs, mostMs],
}: OwnersTimes): Readonly<Record<JobKind, unknown>> {
  return {
    quick: { input: { prompt: "hello" }, atMostMs: 2000 },
    slow: { input: { image: "a cat" }, atLeastMs, atMostMs: mostMs + 1000 },
    failing: { input: { prompt: null } },
    known: [
      { input: { prompt: "2+2" }, output: { value: { answer: 4 } }, atMostMs: 2000 },
      { input: { prompt: "2+3" }, output: { value: { answer: 5 } }, atMostMs: 2000 },
      { input: { prompt: "hello" }, output: { value: generated("hello") }, atMostMs: 2000 },
    ],
    streaming: { input: { prompt: "count", stream: true }, chunksAtLeast: 5, atMostMs: 4000 },
  };
}
