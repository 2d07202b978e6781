import { idsThatJudge } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { JobTest } from "../../harness/inputs/tests-file.ts";
import { badInputsOf } from "./bad-inputs.ts";
import type { BadInput } from "./bad-inputs.ts";
import { memoryRuns } from "./whole-rules.ts";

/** What a worker is put through. */
export interface WorkerTrial {
  readonly tests: readonly JobTest[];
  /** How often each test runs, but those that run once. */
  readonly runs: number;
  /** The names of tests that run once. */
  readonly once: ReadonlySet<string>;
  readonly badInputs: readonly BadInput[];
  readonly only: ReadonlySet<RequirementId>;
}

/** The parts of a run, what each is there to show, and what it does, as `explain` lists it. */
export const workerParts = [
  { name: "start", shows: ["WORK-01"], about: "The program is started, and asks for a job." },
  {
    name: "test",
    shows: [
      "WORK-02",
      "WORK-10",
      "WORK-11",
      "WORK-14",
      "WORK-15",
      "WORK-21",
      "WORK-23",
      "WORK-32",
      "WORK-40",
      "WORK-41",
      "WORK-42",
      "WORK-43",
    ],
    about: "Each test is submitted as a job.",
  },
  { name: "again", shows: ["WORK-12", "WORK-13"], about: "Each test is submitted again." },
  {
    name: "bad-input",
    shows: ["WORK-20", "WORK-22"],
    about: "Inputs that lack a member or have one of another type, each with a good one after it.",
  },
  {
    name: "time-out",
    shows: ["WORK-30"],
    about: "The slowest test with an executionTimeout of 5 s.",
  },
  { name: "cancel", shows: ["WORK-31"], about: "The slowest test, cancelled while it works." },
  { name: "beside", shows: ["WORK-13", "WORK-51"], about: "Several jobs at the same time." },
  { name: "memory", shows: ["WORK-50"], about: "The quickest test, twenty times." },
  { name: "stop", shows: ["WORK-33"], about: "A worker gets SIGTERM while it is idle." },
] as const satisfies readonly {
  readonly name: string;
  readonly shows: readonly RequirementId[];
  readonly about: string;
}[];

/** What a worker is put through, as `explain` lists it. */
export const workerChecks: readonly {
  readonly name: string;
  readonly title: string;
  readonly covers: readonly RequirementId[];
  readonly needs: readonly [];
}[] = workerParts.map(({ name, shows, about }) => ({
  name: `worker/${name}`,
  title: about,
  covers: shows,
  needs: [] as const,
}));

type PartName = (typeof workerParts)[number]["name"];

/** Whether a part shows something that is wanted. */
export function isWanted({ only }: Pick<WorkerTrial, "only">, name: PartName): boolean {
  return workerParts.some((part) => part.name === name && part.shows.some((id) => only.has(id)));
}

interface PlanDemands extends Omit<WorkerTrial, "badInputs"> {
  readonly hasBadInputs: boolean;
}

/** The plan for these tests. */
export function workerPlan({ hasBadInputs, ...demands }: PlanDemands): WorkerTrial {
  const good = demands.tests.filter(
    ({ name, expectsFailure }) => !expectsFailure && !demands.once.has(name),
  );
  const badInputs = hasBadInputs && isWanted(demands, "bad-input") ? badInputsOf(good) : [];
  return { ...demands, badInputs };
}

/** Every entry of the workers' catalogue. */
export const workerIds: readonly RequirementId[] = idsThatJudge("worker");

/** How many jobs a plan takes at most, where no test turns out to be slow. */
export function jobsOf(plan: WorkerTrial): number {
  const { tests, runs, once, badInputs } = plan;
  const again = tests.filter(({ name }) => !once.has(name)).length * (runs - 1);
  const beside = isWanted(plan, "beside") ? besideJobs : 0;
  const memory = isWanted(plan, "memory") ? memoryRuns - runs - badInputs.length : 0;
  return tests.length + again + 2 * badInputs.length + beside + Math.max(0, memory);
}

/** How many jobs are submitted at the same time. */
export const besideJobs = 6;

/** After each job the vendor's library waits for a second before it asks for the next. */
export const besidesJobMs = 1_100;
