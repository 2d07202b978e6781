import { expect, test } from "vitest";

import { scriptedServer } from "../../test/harness/scripted-server.ts";
import type { Script } from "../../test/harness/scripted-server.ts";
import { openTarget } from "../open-target.ts";
import { oneJobId } from "./one-job.ts";

const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 1, retried: 0 };
const health = { jobs: counts, workers: { idle: 1, running: 0 } };

/** Whether a submission is refused, by the jobs that are unfinished and when the last ones were taken. */
type Refuses = (unfinished: number, takenAtMs: readonly number[]) => boolean;

const ofJobs: ReadonlySet<string> = new Set(["status", "stream", "retry", "cancel"]);

/** Keeps jobs that end only when they are cancelled. */
class JobServer {
  readonly #refuses: Refuses;
  readonly #states = new Map<string, string>();
  readonly #takenAtMs: number[] = [];
  #submissions = 0;

  constructor(refuses: Refuses) {
    this.#refuses = refuses;
  }

  readonly answer: Script = (request) => {
    const [, operation = "", id = ""] = /\/v2\/e\/([a-z-]+)\/?([^?]*)/.exec(request) ?? [];
    if (operation === "health") return [200, health];
    if (operation === "run") return this.#run();
    if (operation === "runsync") return [400, { error: "no input" }];
    if (!ofJobs.has(operation)) return [404, { no: "route" }];
    return this.#states.has(id) ? this.#ofJob(operation, id) : [404, { error: "no job" }];
  };

  #run(): ReturnType<Script> {
    this.#submissions += 1;
    if (this.#submissions <= submissionsWithoutInput) return [400, { error: "no input" }];
    const unfinished = [...this.#states.values()].filter((state) => state === "IN_QUEUE").length;
    if (this.#refuses(unfinished, this.#takenAtMs)) return [429, { error: "not now" }];
    this.#takenAtMs.push(performance.now());
    const id = `job-${this.#takenAtMs.length}`;
    this.#states.set(id, "IN_QUEUE");
    return [200, { id, status: "IN_QUEUE" }];
  }

  #ofJob(operation: string, id: string): ReturnType<Script> {
    if (operation === "stream") return [200, []];
    if (operation === "retry") return [400, { error: "not failed" }];
    if (operation === "cancel") this.#states.set(id, "CANCELLED");
    return [200, { id, status: this.#states.get(id) }];
  }
}

/** With a wrong key, without one, and the one that asks whether run is there. */
const submissionsWithoutInput = 3;

/** Refuses more than so many submissions in a window that begins with each of them. */
function limited(most: number, windowMs: number): Refuses {
  return (_, takenAtMs) =>
    takenAtMs.filter((atMs) => performance.now() - atMs < windowMs).length >= most;
}

test.each<{ readonly what: string; readonly refuses: Refuses; readonly isOne: boolean }>([
  { what: "refuses a job while another is unfinished", refuses: (at) => at > 0, isOne: true },
  { what: "has a queue", refuses: () => false, isOne: false },
  { what: "takes two unfinished jobs", refuses: (at) => at > 1, isOne: false },
  { what: "takes a job every 200 ms", refuses: limited(1, 200), isOne: false },
  { what: "takes a job a second", refuses: limited(1, 900), isOne: false },
  { what: "takes a job a minute", refuses: limited(1, 60_000), isOne: false },
  { what: "takes no job after the first", refuses: (_, { length }) => length > 0, isOne: false },
])("a server that $what is one without a queue: $isOne", async ({ refuses, isOne }) => {
  const baseUrl = await scriptedServer(new JobServer(refuses).answer);
  const { discovery } = await openTarget({
    baseUrl,
    endpointId: "e",
    apiKey: "key-of-e",
    capabilities: ["handler"],
  });
  expect(discovery?.readsJobs).toBe(true);
  expect(discovery?.knows(oneJobId)).toBe(isOne);
});
