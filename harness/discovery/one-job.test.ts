import { expect, test } from "vitest";

import { scriptedServer } from "../../test/harness/scripted-server.ts";
import type { Script } from "../../test/harness/scripted-server.ts";
import { openTarget } from "../open-target.ts";
import { oneJobId } from "./one-job.ts";

const counts = { completed: 0, failed: 0, inProgress: 0, inQueue: 1, retried: 0 };
const health = { jobs: counts, workers: { idle: 1, running: 0 } };

/** Whether a submission is refused, by the jobs that are unfinished and when the last ones were taken. */
type Refuses = (unfinished: number, takenAtMs: readonly number[]) => boolean;

/** Keeps jobs that end only when they are cancelled. */
function serverThat(refuses: Refuses): Script {
  const states = new Map<string, string>();
  const takenAtMs: number[] = [];
  let submissions = 0;
  const recordOf = (id: string): ReturnType<Script> => {
    const status = states.get(id);
    return status === undefined ? [404, { error: "no job" }] : [200, { id, status }];
  };
  return (request) => {
    const [, operation = "", id = ""] = /\/v2\/e\/([a-z-]+)\/?([^?]*)/.exec(request) ?? [];
    if (operation === "health") return [200, health];
    if (operation === "status") return recordOf(id);
    if (operation === "stream") return states.has(id) ? [200, []] : recordOf(id);
    if (operation === "retry") return [states.has(id) ? 400 : 404, { error: "not failed" }];
    if (operation === "cancel") {
      if (states.has(id)) states.set(id, "CANCELLED");
      return recordOf(id);
    }
    if (operation === "runsync") return [400, { error: "no input" }];
    if (operation !== "run") return [404, { no: "route" }];
    submissions += 1;
    if (submissions <= submissionsWithoutInput) return [400, { error: "no input" }];
    const unfinished = [...states.values()].filter((state) => state === "IN_QUEUE").length;
    if (refuses(unfinished, takenAtMs)) return [429, { error: "not now" }];
    takenAtMs.push(performance.now());
    const made = `job-${takenAtMs.length}`;
    states.set(made, "IN_QUEUE");
    return recordOf(made);
  };
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
  const baseUrl = await scriptedServer(serverThat(refuses));
  const { discovery } = await openTarget({
    baseUrl,
    endpointId: "e",
    apiKey: "key-of-e",
    capabilities: ["handler"],
  });
  expect(discovery?.readsJobs).toBe(true);
  expect(discovery?.knows(oneJobId)).toBe(isOne);
});
