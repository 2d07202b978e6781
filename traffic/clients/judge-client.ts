import { availableParallelism } from "node:os";
import { idsThatJudge, requirements } from "../../openapi/requirements.ts";
import type { RequirementId } from "../../openapi/requirements.ts";
import type { CheckResult } from "../../reports/model.ts";
import { resultsOf, unrunResults } from "./results-of-run.ts";
import { runScenario } from "./run-scenario.ts";
import type { ScenarioSettings } from "./run-scenario.ts";
import type { ClientTask } from "./client-tasks.ts";
import type { ClientScenario, PlannedScenario } from "./scenario.ts";
import { clientScenarios } from "./scenarios/client-scenarios.ts";

export interface ClientJudgement extends ScenarioSettings {
  /** What the program can do. */
  readonly tasks: readonly ClientTask[];
  readonly only: ReadonlySet<RequirementId>;
  /** Whether every scenario runs without TLS. */
  readonly isPlain: boolean;
  /** Whether the waits between requests are the program's own, and not those of the library that it drives. */
  readonly judgesPolls: boolean;
  readonly onResults: (results: readonly CheckResult[], done: number, of: number) => void;
}

/** The scenarios that show what is wanted, for the tasks that the program can do. */
export function plannedScenarios({
  tasks,
  only,
  isPlain,
}: Pick<ClientJudgement, "tasks" | "only" | "isPlain">): readonly PlannedScenario[] {
  const chosen = clientScenarios.filter(
    (scenario) => tasks.includes(scenario.task) && shownBy(scenario).some((id) => only.has(id)),
  );
  const alsoPlain = isPlain ? [] : chosen.filter(({ isOfRefusals }) => isOfRefusals === true);
  return [
    ...chosen.map((scenario) => ({ scenario, isPlain })),
    ...alsoPlain.map((scenario) => ({ scenario, isPlain: true })),
  ];
}

/** The entries that a scenario is there for. */
export function shownBy({ shows = [], decides }: ClientScenario): readonly RequirementId[] {
  const decided = Object.values(requirements)
    .map(({ id }) => id)
    .filter((id) => Object.hasOwn(decides, id));
  return [...shows, ...decided];
}

const everyId: ReadonlySet<RequirementId> = new Set(idsThatJudge("client"));

/** Programs that only wait take nothing; loading them does. */
const togetherMax = Math.max(6, 3 * availableParallelism());

/**
 * Runs the program through every scenario and judges it. Of each task the scenario without trouble comes first: where
 * that does not work, the others say nothing, and are not run.
 * @throws ProgramStartError where the program cannot be started
 */
export async function judgeClient(judgement: ClientJudgement): Promise<readonly CheckResult[]> {
  const planned = plannedScenarios(judgement);
  const all: CheckResult[] = [];
  let done = 0;
  const tell = (results: readonly CheckResult[]): void => {
    all.push(...results);
    done += 1;
    judgement.onResults(results, done, planned.length);
  };
  const controls = new Map<ClientTask, Promise<boolean>>();
  const control = async (task: ClientTask): Promise<boolean> => {
    const scenario = clientScenarios.find((each) => each.task === task);
    if (scenario === undefined) return true;
    const { isPlain, only } = judgement;
    // Whether it works is looked at, whatever was selected.
    const results = await judged({ scenario, isPlain }, { ...judgement, only: everyId });
    const selected = results.filter(({ covers }) => covers.some((id) => only.has(id)));
    if (planned.some((each) => each.scenario === scenario)) tell(selected);
    return !results.some(isFailedDelivery);
  };
  const isControl = ({ scenario, isPlain }: PlannedScenario): boolean =>
    clientScenarios.find(({ task }) => task === scenario.task) === scenario &&
    isPlain === judgement.isPlain;
  for (const task of new Set(planned.map(({ scenario }) => scenario.task))) {
    controls.set(task, control(task));
  }
  await Promise.all(controls.values());
  // Those that take longest begin first.
  const rest = planned
    .filter((each) => !isControl(each))
    .toSorted((one, other) => (other.scenario.timeoutMs ?? 0) - (one.scenario.timeoutMs ?? 0));
  await inPool(rest, async (each) => {
    const works = await controls.get(each.scenario.task);
    if (judgement.signal.aborted) return;
    tell(works === false ? unrunResults(each) : await judged(each, judgement));
  });
  return all;
}

/** Whether the program did not do its task although nothing was wrong. */
function isFailedDelivery({ verdict, mismatches = [] }: CheckResult): boolean {
  return verdict === "fail" && mismatches.some(({ at }) => !/^(?:GET|POST) /.test(at));
}

async function judged(
  planned: PlannedScenario,
  judgement: ClientJudgement,
): Promise<readonly CheckResult[]> {
  const tls = planned.isPlain ? undefined : judgement.tls;
  const run = await runScenario(planned.scenario, { ...judgement, tls });
  if (judgement.signal.aborted) return [];
  return resultsOf(run, planned, judgement);
}

async function inPool<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: togetherMax }, worker));
}
