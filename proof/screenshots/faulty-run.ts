import { runContract } from "../../contracts/run-contract.ts";
import { runRequirements } from "../../load/requirements/run-requirements.ts";
import { capabilities } from "../../openapi/capabilities.ts";
import { isOfLoad, requirementIds } from "../../openapi/requirements.ts";
import { changed, specified } from "../../reference/behaviour.ts";
import { startReference } from "../../reference/start-reference.ts";
import { faultNamed } from "../faults/faults.ts";
import { createReport } from "../../reports/create-report.ts";
import type { Report } from "../../reports/model.ts";
import { toolVersion } from "../../openapi/installation.ts";

/** What the target of the pictures does wrong: a few faults of different kinds. */
const faults = [
  "cancel/queued-job-stays-in-the-queue",
  "rate/cancel-one-over",
  "run/result-is-gone-early",
  "runsync/wait-is-a-little-too-short",
  "webhook/two-attempts",
];

/** Capabilities that the target lacks, so that the pictures show what was not decided, too. */
const notOffered = new Set(["scaling", "foreignKey"]);

/** A run of contract and load against the reference with a few faults. */
export async function faultyRun(): Promise<Report> {
  const behaviour = faults.reduce((sofar, name) => {
    const fault = faultNamed(name);
    if (fault === undefined) throw new Error(`the reference has no fault ${name}`);
    return changed(sofar, fault.change(sofar));
  }, specified);
  const startedAt = new Date();
  const reference = await startReference({ behaviour });
  try {
    const { baseUrl, controlUrl = "", endpointId } = reference;
    const offered = capabilities.filter((each) => !notOffered.has(each));
    const target = { baseUrl, controlUrl, capabilities: offered };
    const { results } = await runContract({
      ...target,
      capabilities: [],
      seed: 1,
      timeBudgetMs: 0,
    });
    const load = await runRequirements({
      target,
      requirements: new Set(requirementIds.filter(isOfLoad)),
      timeBudgetMs: 0,
    });
    return createReport({
      toolVersion: toolVersion(),
      nodeVersion: process.version,
      command: "run",
      seed: 1,
      startedAt,
      durationMs: Date.now() - startedAt.getTime(),
      target: { baseUrl, endpointId, capabilities: offered },
      dialect: "spec",
      results: [...results, ...load.results],
      load: load.load,
    });
  } finally {
    await reference.stop();
  }
}
