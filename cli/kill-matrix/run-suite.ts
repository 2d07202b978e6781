import type { CheckResult } from "../../contracts/index.ts";
import { runInProcess } from "../../contracts/run-in-process.ts";
import { runRequirements } from "../../load/index.ts";
import { capabilities, requirements } from "../../openapi/index.ts";
import type { RequirementId } from "../../openapi/index.ts";
import { changed, faultNamed, specified, startReference } from "../../reference/index.ts";
import type { Behaviour, BehaviourChange, Fault } from "../../reference/index.ts";
import { variationNamed } from "../../reference/variations.ts";
import type { Finding, Subject, SuiteRun } from "./suite-job.ts";

/** Starts a reference of the subject's kind, runs the suite against it, and stops it. Never rejects. */
export async function runSuite(subject: Subject): Promise<SuiteRun> {
  try {
    return { findings: await findingsOn(subject) };
  } catch (error) {
    const failed = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { findings: [], failed };
  }
}

async function findingsOn(subject: Subject): Promise<readonly Finding[]> {
  switch (subject.kind) {
    case "clean": {
      const { delayMs, requirements: named } = subject;
      const selected = named === undefined ? undefined : new Set(named);
      return findingsAgainst(() => ({ transport: { delayAfterMs: () => delayMs } }), selected);
    }
    case "variation":
      return findingsAgainst(known(variationNamed(subject.name), subject).change);
    case "fault": {
      const fault = known(faultNamed(subject.name), subject);
      return subject.aim === "whole" ? findingsAgainst(fault.change) : findingsByAim(fault);
    }
  }
}

async function findingsByAim({ breaks, change }: Fault): Promise<readonly Finding[]> {
  const findings = await findingsAgainst(change, new Set(breaks));
  const isCaught = findings.some(
    ({ verdict, requirement }) => verdict === "fail" && breaks.includes(requirement),
  );
  return isCaught ? findings : findingsAgainst(change);
}

async function findingsAgainst(
  change: (behaviour: Behaviour) => BehaviourChange,
  selected?: ReadonlySet<RequirementId>,
): Promise<readonly Finding[]> {
  const behaviour = changed(specified, change(specified));
  const reference = await startReference({ behaviour });
  const { baseUrl, controlUrl = "" } = reference;
  try {
    const { results } = await runInProcess({
      baseUrl,
      controlUrl,
      capabilities: [],
      seed: 1,
      timeBudgetMs: 0,
      ...(selected !== undefined && { selected }),
    });
    const load = await loadResults({ baseUrl, controlUrl }, selected);
    return [...results, ...load].flatMap((result) => findingsOf(result));
  } finally {
    await reference.stop();
  }
}

/**
 * What the load checks say of the requirements of theirs that were selected. A subject that names none
 * is no matter of load: twenty thousand requests for each would decide nothing about it.
 */
async function loadResults(
  target: { readonly baseUrl: string; readonly controlUrl: string },
  selected: ReadonlySet<RequirementId> = new Set(),
): Promise<readonly CheckResult[]> {
  const ids = [...selected].filter((id) => isOfLoad(requirements[id].area));
  if (ids.length === 0) return [];
  const run = await runRequirements({
    target: { ...target, capabilities },
    requirements: new Set(ids),
    timeBudgetMs: 0,
  });
  return run.results;
}

function isOfLoad(area: string): boolean {
  return area === "rate" || area === "concurrency";
}

function known<Item>(item: Item | undefined, { kind, name }: { kind: string; name: string }): Item {
  if (item === undefined) throw new Error(`there is no ${kind} ${name}`);
  return item;
}

function findingsOf(result: CheckResult): readonly Finding[] {
  const { name: check, verdict, reason, readings, harnessError } = result;
  return result.covers.map((requirement) => {
    const reading = readings.find((seen) => seen.requirement === requirement)?.reading;
    return {
      check,
      requirement,
      verdict,
      ...(reason !== undefined && { reason }),
      ...(reading !== undefined && { reading }),
      ...(harnessError !== undefined && { broke: true }),
    };
  });
}
