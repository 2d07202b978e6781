import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";

import { clusterManifests, clusterNeeds, clusterPointsFile } from "../../load/distributed/k8s.ts";
import { scriptFiles } from "../../load/distributed/script-files.ts";
import { k6Script } from "../../load/k6/rate.ts";
import { createReport } from "../../reports/create-report.ts";
import { writeReports } from "../../reports/write.ts";
import { CommandError } from "../errors.ts";
import type { Io } from "../io.ts";
import { loadPlan, loadPlanText } from "../load-plan.ts";
import type { ContractCommandSettings } from "../settings/contract.ts";
import type { GivenTarget } from "../settings/given-target.ts";
import { rulesFor } from "../../client/request-rules.ts";
import { toolVersion } from "../../openapi/installation.ts";
import type { RequestRules } from "../../client/request-rules.ts";
import { clusterTests } from "./cluster-tests.ts";
import type { ClusterScenario } from "./cluster-tests.ts";

/**
 * Writes what the k6 operator needs to run the k6 rates, or the named scenarios, on several runners. It also writes a
 * report for each runner, which says where the runner's points belong. It sends nothing.
 * @throws CommandError WRONG_USAGE where nothing is left to run
 */
export async function distribute(settings: ContractCommandSettings, io: Io): Promise<number> {
  const { target } = settings;
  if (target === undefined) throw new CommandError("WRONG_USAGE", "--distributed needs a target");
  const tests = await clusterTests(settings, target);
  const { timeoutMs, requests } = settings;
  const { isTraced = true } = requests;
  const rules = rulesFor({ baseUrl: target.baseUrl, timeoutMs, requests: { isTraced } });
  for (const test of tests) {
    await writeManifests(test, rules, settings);
    await writeRunnerReports(test, target, settings);
  }
  io.write(instructions(tests, target, settings));
  return 0;
}

async function writeManifests(
  { name, folder, script, settings }: ClusterScenario,
  rules: RequestRules,
  { sharing: { runners }, reportDirectory }: ContractCommandSettings,
): Promise<void> {
  const { configMap, testRun } = clusterManifests({
    name,
    runners,
    rules,
    script: `scenarios/k6/${script}.ts`,
    files: await scriptFiles(k6Script(script)),
    settings,
  });
  const directory = join(reportDirectory, folder);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "configmap.yaml"), stringify(configMap, { lineWidth: 0 }));
  await writeFile(join(directory, "testrun.yaml"), stringify(testRun, { lineWidth: 0 }));
}

async function writeRunnerReports(
  { name, leftBy }: ClusterScenario,
  { baseUrl, endpointId = "" }: GivenTarget,
  { sharing: { runners }, reportDirectory, ...settings }: ContractCommandSettings,
): Promise<void> {
  for (let runner = 1; runner <= runners; runner += 1) {
    const report = createReport({
      toolVersion: toolVersion(),
      nodeVersion: process.version,
      command: "load",
      seed: settings.seed,
      startedAt: new Date(),
      durationMs: 0,
      target: { baseUrl, endpointId, capabilities: settings.capabilities },
      dialect: settings.dialect.name,
      ...leftBy({ file: clusterPointsFile, runner, runners }),
    });
    const directory = join(reportDirectory, `${name}-${runner}`);
    await writeReports(report, { directory, formats: ["json"] });
  }
}

function instructions(
  tests: readonly ClusterScenario[],
  { baseUrl }: GivenTarget,
  settings: ContractCommandSettings,
): string {
  const { secret, secretKey, claim } = clusterNeeds;
  const { reportDirectory } = settings;
  const folders = tests.map(({ folder }) => join(reportDirectory, folder));
  const [first] = tests;
  const points = `${first?.name ?? ""}-1/${clusterPointsFile}`;
  return [
    `What all runners send to ${baseUrl} together: ${loadPlanText(loadPlan(settings))}`,
    "",
    `Written to ${folders.join(", ")}: configmap.yaml and testrun.yaml for the k6 operator. Nothing was sent.`,
    `  1. kubectl create secret generic ${secret} --from-literal=${secretKey}=KEY`,
    `  2. make a PersistentVolumeClaim called ${claim} that all runners can write to`,
    ...folders.map(
      (folder, at) =>
        `  3. kubectl apply -f ${folder}${at === 0 ? "" : ", once the one before is done: they disturb each other"}`,
    ),
    `  4. copy ${points} and the others from the volume over ${reportDirectory}`,
    ...tests.map(
      ({ name }) => `  5. queueproof report ${join(reportDirectory, `${name}-*`, "report.json")}`,
    ),
    "",
  ].join("\n");
}
