import type { Behaviour, BehaviourChange } from "./behaviour.ts";
import type { Job, JsonObject } from "./job.ts";

/** A mishap that a client of a correct service has to live with: for testing clients, not the suite. */
export interface ClientFault {
  readonly name: string;
  /** The mishap in one sentence. */
  readonly describe: string;
  /** What the built-in handler does: workers of one's own have to do it themselves. */
  readonly isOfBuiltInHandler?: true;
  /** Called anew for each server. */
  readonly change: (behaviour: Behaviour) => BehaviourChange;
}

const STORM_EVERY_MS = 15_000;
const STORM_MS = 5_000;
const HIDDEN_MS = 1_000;

export const clientFaults: readonly ClientFault[] = [
  {
    name: "webhook-lost",
    describe: "No webhook is ever called.",
    change: () => ({ webhook: { isCalledFor: () => false } }),
  },
  {
    name: "webhook-twice",
    describe: "Every webhook is called again 10 s after it was acknowledged.",
    change: ({ webhook }) => ({
      webhook: {
        acknowledges: (outcome) => outcome.attempt > 1 && webhook.acknowledges(outcome),
      },
    }),
  },
  {
    name: "429-storm",
    describe: "For 5 s of every 15 s all requests are answered 429.",
    change: ({ transport }) => ({
      transport: {
        refuses: (operation, nowMs) =>
          nowMs % STORM_EVERY_MS < STORM_MS ? 429 : transport.refuses(operation, nowMs),
      },
    }),
  },
  {
    name: "worker-crash",
    describe: "The worker of every third job dies, and another one does the job.",
    isOfBuiltInHandler: true,
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerInput: everyThird(lifecycle.handlerInput, (job) =>
          job.dispatches === 1 ? { op: "crash" } : lifecycle.handlerInput(job),
        ),
      },
    }),
  },
  {
    name: "job-fails",
    describe: "Every third job ends as FAILED.",
    isOfBuiltInHandler: true,
    change: ({ lifecycle }) => ({
      lifecycle: {
        handlerInput: everyThird(lifecycle.handlerInput, () => ({
          op: "fail",
          message: "failed on purpose",
        })),
      },
    }),
  },
  {
    name: "late-job",
    describe: "A job cannot be found during the first second after it was accepted.",
    change: ({ retention }) => ({
      retention: {
        shows: (job, operation, nowMs) =>
          nowMs >= job.submittedAtMs + HIDDEN_MS && retention.shows(job, operation, nowMs),
      },
    }),
  },
];

export function clientFaultNamed(name: string): ClientFault | undefined {
  return clientFaults.find((fault) => fault.name === name);
}

/** This share of the requests, chosen by the seed, is answered 500 before anything is done. */
export function failing(share: number, seed: number): ClientFault["change"] {
  const chance = chanceOf(seed);
  return ({ transport }) => ({
    transport: {
      refuses: (operation, nowMs) => (chance() < share ? 500 : transport.refuses(operation, nowMs)),
    },
  });
}

/** Every answer is held back for a time between the two, chosen by the seed. */
export function delaying(fromMs: number, toMs: number, seed: number): ClientFault["change"] {
  const chance = chanceOf(seed);
  return () => ({
    transport: { delayAfterMs: () => Math.round(fromMs + chance() * (toMs - fromMs)) },
  });
}

type HandlerInput = (job: Job) => JsonObject;

/** The third, sixth, … job that workers take gets another input, whenever it is taken. */
function everyThird(usual: HandlerInput, other: HandlerInput): HandlerInput {
  const places = new WeakMap<Job, number>();
  let count = 0;
  return (job) => {
    const place = places.get(job) ?? (count += 1);
    places.set(job, place);
    return place % 3 === 0 ? other(job) : usual(job);
  };
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
