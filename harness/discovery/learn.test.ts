import { describe, expect, test } from "vitest";

import { openTarget } from "../open-target.ts";
import { scriptedServer } from "../../test/harness/scripted-server.ts";
import type { Script } from "../../test/harness/scripted-server.ts";

const jobs = { completed: 0, failed: 0, inProgress: 0, inQueue: 0, retried: 0 };
const health = { jobs, workers: { idle: 1, running: 0 } };
const record = { id: "job-1", status: "COMPLETED", delayTime: 1, executionTime: 1, output: {} };

/** What a conforming server answers. */
function usually(request: string, hasInput: boolean): ReturnType<Script> {
  const [, operation = "", id = ""] = /\/v2\/e\/([a-z-]+)\/?([^?]*)/.exec(request) ?? [];
  const ofJob: Readonly<Record<string, ReturnType<Script>>> = {
    status: [200, record],
    cancel: [200, record],
    stream: [200, []],
    retry: [400, { error: "not failed" }],
  };
  if (operation in ofJob) return id === "job-1" ? ofJob[operation] : [404, { error: "no job" }];
  if (operation === "health") return [200, health];
  if (operation === "runsync") return [400, { error: "no input" }];
  if (operation !== "run") return [404, { no: "route" }];
  // The first submissions have no input: those that ask which keys are taken and which operations are there.
  return hasInput ? [200, { id: "job-1", status: "IN_QUEUE" }] : [400, {}];
}

/** Answers as a small server that conforms, but for what `departs` answers to "METHOD /path". */
function stranger(departs: (request: string) => ReturnType<Script> | undefined): Script {
  const asked: string[] = [];
  return (request) => {
    asked.push(request);
    const departure = departs(request);
    if (departure !== undefined) return departure;
    const runs = asked.filter((each) => each.includes("/run")).length;
    return usually(request, runs > submissionsWithoutInput);
  };
}

/** With a wrong key, without one, and the one that asks for run itself; runsync is among those that were asked, too. */
const submissionsWithoutInput = 4;

async function learnedOf(departs: Parameters<typeof stranger>[0]): Promise<readonly string[]> {
  const baseUrl = await scriptedServer(stranger(departs));
  const where = { baseUrl, endpointId: "e", apiKey: "key-of-e", capabilities: [] };
  const { discovery } = await openTarget(where);
  return discovery?.learned.map(({ id }) => id).filter((id) => id !== "key-not-asked") ?? [];
}

function starting(...starts: readonly string[]): (request: string) => boolean {
  return (request) => starts.some((start) => request.startsWith(start));
}

const notFound = [404, { no: "route" }] as const;

describe("of a stranger a run learns", () => {
  test("nothing where nothing departs", async () => {
    expect(await learnedOf(() => undefined)).toEqual([]);
  });

  test.each(["stream", "cancel", "retry", "runsync"])("that there is no %s", async (operation) => {
    const isAsked = starting(`GET /v2/e/${operation}`, `POST /v2/e/${operation}`);
    expect(await learnedOf((request) => (isAsked(request) ? notFound : undefined))).toEqual([
      `missing-${operation}`,
    ]);
  });

  test("that health needs no key where run does", async () => {
    const learned = await learnedOf((request) =>
      request.startsWith("POST /v2/e/run") ? [401, { error: "no key" }] : undefined,
    );
    expect(learned).toContain("health-without-key");
  });

  test("with which status it refuses", async () => {
    const isAsked = starting("POST /v2/e/runsync", "POST /v2/e/run");
    const refuses = (request: string): readonly [number, unknown] | undefined =>
      isAsked(request) ? [422, { detail: "no input" }] : undefined;
    expect(await learnedOf(refuses)).toEqual(["refusals-422", "input-refused"]);
  });

  test.each([
    { what: "500", answer: [500, { error: "KeyError" }] },
    { what: "a record of its own", answer: [200, { id: "", status: "NOT_FOUND" }] },
  ] as const)("that it answers an unknown job with $what", async ({ answer }) => {
    const learned = await learnedOf((request) =>
      request === "GET /v2/e/status/queueproof-unknown-job" ? answer : undefined,
    );
    expect(learned).toEqual(["unknown-jobs-otherwise"]);
  });

  test("nothing of unknown jobs where status fails for every job", async () => {
    const learned = await learnedOf((request) =>
      request.startsWith("GET /v2/e/status/") ? [500, { error: "KeyError" }] : undefined,
    );
    expect(learned).not.toContain("unknown-jobs-otherwise");
  });

  test("that an operation is not there for its method", async () => {
    const isAsked = starting("POST /v2/e/cancel");
    const other = (request: string): readonly [number, unknown] | undefined =>
      isAsked(request) ? [405, { detail: "Method Not Allowed" }] : undefined;
    expect(await learnedOf(other)).toEqual(["missing-cancel"]);
  });

  test("that health has another shape", async () => {
    const isAsked = starting("GET /v2/e/health");
    const other = (request: string): readonly [number, unknown] | undefined =>
      isAsked(request) ? [200, { status: "ok" }] : undefined;
    expect(await learnedOf(other)).toEqual(["health-shape"]);
  });

  test("that a job can be read late, or never", async () => {
    let reads = 0;
    const late = (readsMax: number) => (request: string) => {
      if (!request.startsWith("GET /v2/e/status/job-1")) return undefined;
      reads += 1;
      return reads <= readsMax ? ([404, { error: "no such job" }] as const) : undefined;
    };
    expect(await learnedOf(late(2))).toEqual(["ids-late"]);
    expect(await learnedOf(late(100))).toEqual(["accepted-job-unknown"]);
  });

  test("nothing of operations from a job that is not known, where every 404 looks the same", async () => {
    const learned = await learnedOf((request) =>
      /\/(?:status|stream|cancel|retry)\//.test(request) ? notFound : undefined,
    );
    expect(learned).toEqual(["accepted-job-unknown"]);
  });
});
